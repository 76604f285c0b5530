// The unit's directories: creation, modes and reserved names. Never changes the mode of a directory that contains files.
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { errorCode, orRefuse, ownershipRefusal } from './permission.ts'

/** Creates a directory and its parents, each with this mode whatever the umask. Returns whether the directory was created. */
export const makeDirectory = async (path: string, mode = 0o700): Promise<boolean> => {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    const above = dirname(path)
    if (errorCode(error) !== 'ENOENT' || above === path || !(await makeDirectory(above, mode))) throw error
    await mkdir(path, { mode })
  }
  await chmod(path, mode)
  return true
}

/** Prefix of database copies that a backup makes; the next start removes them. */
export const backupCopyPrefix = '.backup-'
/** Prefix of an incomplete restore; no unit starts on it. */
export const restoringPrefix = '.restoring-'
/** Directory of incomplete uploads, below the directory of agent groups. No group name begins with a dot. */
export const incomingName = '.incoming'
/** Directory at the root of an ext4 volume, owned by root. */
export const lostAndFound = 'lost+found'

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0')

const isEmpty = async (path: string): Promise<boolean> => (await readdir(path)).every((name) => name === lostAndFound)

/** Only removes permissions, and only on a directory that is empty before and after. Returns whether it succeeded. */
const tighten = async (path: string, { found, mode }: { readonly found: number; readonly mode: number }): Promise<boolean> => {
  if ((found & mode) !== mode || !(await isEmpty(path))) return false
  await chmod(path, mode)
  return isEmpty(path)
}

/**
 * Creates the directory and its parents if it is missing, and narrows the mode of an empty one that this user owns, such as a new volume
 * or the result of `mkdir`. Rejects with `Refusal` 77 on a wrong mode or owner; its hint is the command that fixes both.
 */
export const privateDirectory = async (path: string, mode = 0o700): Promise<void> => {
  await orRefuse(path, () => makeDirectory(path, mode), mode)
  const stats = await orRefuse(path, () => stat(path), mode)
  if (!stats.isDirectory()) {
    throw new Refusal(exits.noPermission, {
      detail: `expected a directory at ${path}, got another kind of file`,
      hint: `move ${path} away`,
    })
  }
  if (stats.uid !== process.geteuid?.()) throw ownershipRefusal(path, undefined, mode)
  if ((stats.mode & 0o777) === mode) return
  if (await orRefuse(path, () => tighten(path, { found: stats.mode & 0o777, mode }), mode)) return
  throw new Refusal(exits.noPermission, {
    detail: `expected mode ${octal(mode)} on ${path}, got ${octal(stats.mode)}`,
    hint: `run: chmod ${octal(mode)} ${path}`,
  })
}
