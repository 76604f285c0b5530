// A passphrase, from a file that nobody else reads.
import { readFile } from 'node:fs/promises'
import { ServiceError } from '@gatehouse/contracts'

/** The first line of the file. */
export const readPassphrase = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ServiceError('not-found', { detail: `${path}: expected a file with the passphrase`, cause })
  })
  const [line = ''] = text.split('\n')
  if (line.trim() !== '') return line.trim()
  throw new ServiceError('invalid', { detail: `${path}: expected the passphrase on the first line, got an empty one` })
}
