// Tells a disk that became full from other faults of a backup, whichever layer met it.
import { statfs } from 'node:fs/promises'
import { ServiceError } from '@gatehouse/contracts'

/** With less than this SQLite cannot even open a database, and calls that a fault of the disk. */
const hardlyAnything = 1024 * 1024

const codesOf = (error: unknown): string[] =>
  error instanceof Error ? [...('code' in error ? [String(error.code)] : []), ...codesOf(error.cause)] : []

const isFull = async (error: unknown, stateDir: string): Promise<boolean> => {
  const codes = codesOf(error)
  if (codes.some((code) => ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code))) return true
  if (!codes.includes('SQLITE_IOERR')) return false
  const { bavail, bsize } = await statfs(stateDir)
  return bavail * bsize < hardlyAnything
}

/** What the caller is told of it. */
export const toFailure = async (error: unknown, stateDir: string): Promise<unknown> =>
  (await isFull(error, stateDir))
    ? new ServiceError('unavailable', {
        detail: 'the disk of the state directory became full while the databases were copied',
        hint: 'make room on it, then take the backup again; nothing was changed',
        cause: error,
      })
    : error
