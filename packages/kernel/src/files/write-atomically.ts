// Replaces files atomically: a reader, or a power loss, sees either the old content or the new.
import { randomBytes } from 'node:crypto'
import { chmod, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const syncPath = async (path: string): Promise<void> => {
  await using handle = await open(path, 'r')
  await handle.sync()
}

const writeSynced = async (path: string, data: string | Uint8Array, mode: number): Promise<void> => {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(data)
    if (((await file.stat()).mode & 0o777) !== mode) await chmod(path, mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Writes a temporary file in the same directory with the final mode, then fsync, rename, and fsync of the directory. */
export const writeAtomically = async (path: string, data: string | Uint8Array, mode = 0o600): Promise<void> => {
  const directory = dirname(path)
  const temporary = join(directory, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await writeSynced(temporary, data, mode)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncPath(directory)
}
