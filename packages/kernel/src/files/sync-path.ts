// Syncs a file, or a directory so that the names in it last. Through a handle: Node's permission model refuses `fs.fsync`.
import { open } from 'node:fs/promises'

export const syncPath = async (path: string): Promise<void> => {
  await using handle = await open(path, 'r')
  await handle.sync()
}
