// What an error of SQLite means: a fault of the disk or the file, or a mistake of the statement.
import { ServiceError } from '@gatehouse/contracts'

/** The addon's code, such as SQLITE_FULL; undefined for anything else. */
export const sqliteCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : undefined

const hints: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'free disk space; the store goes on by itself',
  SQLITE_IOERR: 'look for disk errors in the kernel log; the store opens the file again before the next act',
  SQLITE_READONLY: 'mount the file system writable and give the file back to this user',
  SQLITE_CANTOPEN: 'check that the file and its directory exist and belong to this user',
  SQLITE_PERM: 'give the file and its directory back to this user',
  SQLITE_AUTH: 'give the file and its directory back to this user',
  SQLITE_BUSY: 'end the other program that has the file open',
  SQLITE_LOCKED: 'end the other program that has the file open',
  SQLITE_PROTOCOL: 'end the other program that has the file open',
  SQLITE_NOMEM: 'give the process more memory',
  SQLITE_NOLFS: 'move the state directory to a file system for large files',
}
const damage = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_MISUSE', 'SQLITE_INTERNAL'])

/** True where the statement may be blameless and the transaction is lost. */
export const isFault = (error: unknown): boolean => {
  const code = sqliteCode(error)
  return code !== undefined && (code in hints || damage.has(code))
}

/** True where the disk took everything that it was given: nothing written before is in doubt. */
export const isDiskFull = (error: unknown): boolean => sqliteCode(error) === 'SQLITE_FULL'

/** What a disk or a busy host says before SQLite is asked. */
const passing: Readonly<Record<string, string>> = {
  ENOSPC: 'free disk space; the store goes on by itself',
  EDQUOT: 'free disk space; the store goes on by itself',
  EIO: 'look for disk errors in the kernel log',
  EROFS: 'mount the file system writable',
  EMFILE: 'let the process open more files',
  ENFILE: 'let the host open more files',
  ENOMEM: 'give the process more memory',
}

const passingCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code in passing ? error.code : undefined

const unavailable = (path: string, { code, hint, cause }: { code: string; hint: string | undefined; cause: unknown }): ServiceError =>
  new ServiceError('unavailable', { detail: `${path}: it cannot be used now (${code})`, hint, cause })

/** Trouble of the disk with a file beside a database, which may pass. Anything else stays as it is. */
export const toFileError = (error: unknown, path: string): unknown => {
  const code = passingCode(error)
  return code === undefined ? error : unavailable(path, { code, hint: passing[code], cause: error })
}

/** Faults become what a caller sees; a mistake of the statement (constraint, syntax) stays as it is. */
export const toStoreError = (error: unknown, path: string): unknown => {
  const code = sqliteCode(error)
  if (code === undefined) return toFileError(error, path)
  if (!isFault(error)) return error
  if (code in hints)
    return new ServiceError('unavailable', {
      detail: `${path}: the database cannot be used now (${code})`,
      hint: hints[code],
      cause: error,
    })
  return new ServiceError('internal', {
    detail: `${path}: the database is damaged (${code})`,
    hint: 'restore it from a backup',
    cause: error,
  })
}
