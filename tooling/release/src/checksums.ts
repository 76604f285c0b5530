// The list of checksums that `sha256sum --check` reads.
import { join } from 'node:path'
import { hashFile } from '@gatehouse/engine'

/** Of files in one folder, in the order of their names. */
export const checksumsOf = async (folder: string, names: readonly string[]): Promise<string> => {
  const lines = await Promise.all(names.toSorted().map(async (name) => `${await hashFile(join(folder, name))}  ${name}\n`))
  return lines.join('')
}
