// A directory that this process alone may use. Repairs nothing that holds files: the refusal has the line to run.
import { chmod, readdir, stat } from 'node:fs/promises'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { makeDirectory } from './make-directory.ts'
import { orRefuse, ownershipRefusal } from './permission.ts'
import { lostAndFound } from './unfinished.ts'

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
