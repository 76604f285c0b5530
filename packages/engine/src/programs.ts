// Finds the host's programs in the standard directories. Never looks at the environment.
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'

const directories = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'] as const

export const programPath = directories.join(':')

/** Absolute path of a program, or null. Reads the disk. */
export const findProgram = async (name: string): Promise<string | null> => {
  for (const directory of directories) {
    const path = join(directory, name)
    try {
      await access(path, constants.X_OK)
      return path
    } catch {
      // not in this one
    }
  }
  return null
}
