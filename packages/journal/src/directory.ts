// A directory is synced so that the names in it last.
import { open } from 'node:fs/promises'

export const syncDirectory = async (path: string): Promise<void> => {
  await using directory = await open(path, 'r')
  await directory.sync()
}
