// A full disk: frees the reserve of the journal, so that the database can be written or opened.
import { rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isServiceError } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === 'SQLITE_FULL') || isDiskFull(error.cause))

/** Runs the transaction; on a full disk once more, when what the journal keeps in reserve is given up. */
export const withDiskSpace = async (journal: Pick<Journal, 'makeRoom'>, transact: () => Promise<void>): Promise<void> => {
  try {
    await transact()
  } catch (error) {
    if (!isDiskFull(error) || !(await journal.makeRoom())) throw error
    await transact()
  }
}

/** Bytes without which a database cannot be opened. */
const least = 1024 * 1024

const isFull = async (directory: string): Promise<boolean> => {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize < least
}

/** Opens what lies beside the reserve of a journal that is not open yet; on a full disk once more without it. */
export const openWithDiskSpace = async <T>(reserve: string, open: () => Promise<T>): Promise<T> => {
  try {
    return await open()
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'unavailable' || !(await isFull(dirname(reserve)))) throw error
    // Given up before, it can help no more.
    await rm(reserve).catch(() => {
      throw error
    })
    return open()
  }
}
