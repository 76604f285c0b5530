// Directories of the unit and their modes, and names that have a meaning in them. Never repairs a directory that holds files.
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { codeOf, orRefuse, ownershipRefusal } from './permission.ts'

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

/** Copies of databases that a backup makes: they go at the next start. */
export const copiesPrefix = '.backup-'
/** Half a restore: no unit starts on it. */
export const restoringPrefix = '.restoring-'
/** Below the directory of groups, none of which is named with a dot: files of people that are not whole yet. */
export const incomingName = '.incoming'
/** What ext4 has at its root: root's, where the state directory is a volume of its own. */
export const lostAndFound = 'lost+found'

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0')

const isEmpty = async (path: string): Promise<boolean> => (await readdir(path)).every((name) => name === lostAndFound)

/** Only ever takes rights away, and only from a directory that nobody has put anything into, before and after. */
const tighten = async (path: string, { found, mode }: { readonly found: number; readonly mode: number }): Promise<boolean> => {
  if ((found & mode) !== mode || !(await isEmpty(path))) return false
  await chmod(path, mode)
  return isEmpty(path)
}

/**
 * Makes the directory with its parents if it is absent, and narrows the mode of an empty one that this user owns, such as a new volume
 * or the result of `mkdir`. Wrong mode or foreign owner: `Refusal` 77 with the one line that repairs both.
 */
export const privateDirectory = async (path: string, mode = 0o700): Promise<void> => {
  await orRefuse(path, () => makeDirectory(path, mode), mode)
  const found = await orRefuse(path, () => stat(path), mode)
  if (!found.isDirectory()) {
    throw new Refusal(exits.noPermission, {
      detail: `expected a directory at ${path}, got another kind of file`,
      hint: `move ${path} away`,
    })
  }
  if (found.uid !== process.geteuid?.()) throw ownershipRefusal(path, undefined, mode)
  if ((found.mode & 0o777) === mode) return
  if (await orRefuse(path, () => tighten(path, { found: found.mode & 0o777, mode }), mode)) return
  throw new Refusal(exits.noPermission, {
    detail: `expected mode ${octal(mode)} on ${path}, got ${octal(found.mode)}`,
    hint: `run: chmod ${octal(mode)} ${path}`,
  })
}
