// Keeps what is cut off a journal: `audit.torn-<n>` beside it, on disk before the cut.
import { type FileHandle, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncPath } from '@gatehouse/kernel'

const openFree = async (stem: string, n = 1): Promise<{ handle: FileHandle; path: string }> => {
  const path = `${stem}.torn-${n}`
  try {
    return { handle: await open(path, 'wx', 0o600), path }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return openFree(stem, n + 1)
    throw error
  }
}

/** The name of the file. */
export const setAside = async (journal: string, bytes: Buffer): Promise<string> => {
  const { handle, path } = await openFree(join(dirname(journal), basename(journal, '.jsonl')))
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await syncPath(dirname(path))
  return basename(path)
}
