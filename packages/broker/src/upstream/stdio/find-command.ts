// Finds a program on a path of ours, so that a missing one is told apart from one that fails.
import { access, constants, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { UpstreamFailure } from '../failure.ts'

/** What a local server finds in `PATH`: the host's own directories, nothing of the broker's. */
export const serverPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isFile() ?? false

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The absolute path of a program, or null. */
export const findProgram = async (name: string, path = serverPath): Promise<string | null> => {
  for (const directory of path.split(':')) {
    const candidate = join(directory, name)
    if (isAbsolute(candidate) && (await isFile(candidate)) && (await isExecutable(candidate))) return candidate
  }
  return null
}

/** An absolute path is taken as it is; a bare name is looked up; a relative path has no meaning on a host. */
export const findCommand = async (command: string, path: string): Promise<string> => {
  if (!command.includes('/')) {
    const found = await findProgram(command, path)
    if (found !== null) return found
    throw new UpstreamFailure('command-not-found')
  }
  if (!isAbsolute(command) || !(await isFile(command))) throw new UpstreamFailure('command-not-found')
  if (!(await isExecutable(command))) throw new UpstreamFailure('not-executable')
  return command
}
