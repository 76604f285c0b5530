// On a full disk, frees the reserved space of the journal so that the database can be written or opened.
import { rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isServiceError } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === 'SQLITE_FULL') || isDiskFull(error.cause))

/** Runs the transaction. On a full disk, frees the reserve of the journal and tries once more. */
export const withDiskSpace = async (journal: Pick<Journal, 'makeRoom'>, transact: () => Promise<void>): Promise<void> => {
  try {
    await transact()
  } catch (error) {
    if (!isDiskFull(error) || !(await journal.makeRoom())) throw error
    await transact()
  }
}

/** Bytes that are needed to open a database. */
const minimumBytes = 1024 * 1024

const isFull = async (directory: string): Promise<boolean> => {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize < minimumBytes
}

/** Opens a file next to the reserve of a journal that is not open yet. On a full disk, removes the reserve and tries once more. */
export const openWithDiskSpace = async <T>(reserve: string, open: () => Promise<T>): Promise<T> => {
  try {
    return await open()
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'unavailable' || !(await isFull(dirname(reserve)))) throw error
    // The reserve was already used.
    await rm(reserve).catch(() => {
      throw error
    })
    return open()
  }
}
