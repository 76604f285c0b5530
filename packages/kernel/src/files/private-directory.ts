// A directory that this process alone may use. Never repairs a wrong one: says what to run.
import { stat } from 'node:fs/promises'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { makeDirectory } from './make-directory.ts'
import { orRefuse, ownershipRefusal } from './permission.ts'

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0')

/** Made if absent, with its parents; wrong mode or foreign owner: `Refusal` 77 with the line to run. */
export const privateDirectory = async (path: string, mode = 0o700): Promise<void> => {
  await orRefuse(path, () => makeDirectory(path, mode))
  const found = await orRefuse(path, () => stat(path))
  if (!found.isDirectory()) {
    throw new Refusal(exits.noPermission, {
      detail: `expected a directory at ${path}, got another kind of file`,
      hint: `move ${path} away`,
    })
  }
  if (found.uid !== process.geteuid?.()) throw ownershipRefusal(path, undefined)
  if ((found.mode & 0o777) === mode) return
  throw new Refusal(exits.noPermission, {
    detail: `expected mode ${octal(mode)} on ${path}, got ${octal(found.mode)}`,
    hint: `run: chmod ${octal(mode)} ${path}`,
  })
}
