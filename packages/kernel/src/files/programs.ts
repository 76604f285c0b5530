// Finds the host's programs in the standard directories. Never looks at the environment.
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'

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

/** The same of util-linux; `Refusal` 78 where it is not there. */
export const needProgram = async (name: string): Promise<string> => {
  const path = await findProgram(name)
  if (path !== null) return path
  throw new Refusal(exits.configuration, { detail: `expected the program ${name}, got none`, hint: 'apt-get install util-linux mount' })
}
