// Makes a directory and the ones above it. Never through Node's own recursion, which turns for ever where the
// system answers "no such file" to a directory that it does not let one make, as /proc does.
import { chmod, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './permission.ts'

/** Gives whether it was made; each directory that is made has this mode, whatever the umask. */
export const makeDirectory = async (path: string, mode = 0o700): Promise<boolean> => {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    const above = dirname(path)
    if (codeOf(error) !== 'ENOENT' || above === path || !(await makeDirectory(above, mode))) throw error
    await mkdir(path, { mode })
  }
  await chmod(path, mode)
  return true
}
