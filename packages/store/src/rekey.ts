// Puts a database under another key: a copy is made whole under the new one, then takes the name. At no moment is there a
// file that neither key opens.
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isRefusal, syncPath } from '@gatehouse/kernel'
import { connect, readOnly, readWrite } from './connection.ts'
import { toStoreError } from './faults.ts'
import { unlock } from './database-file.ts'

export interface CopyOptions {
  readonly path: string
  /** 64 hex digits. */
  readonly key: string
  /** Must not be there. */
  readonly to: string
}

const vacuum = async ({ path, key, to }: CopyOptions): Promise<void> => {
  const source = await connect(path, readOnly)
  try {
    await unlock(source, key, path)
    await source.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`)
  } finally {
    await source.close()
  }
}

/** A copy is made without a write-ahead log; a store wants one. */
const finish = async ({ key, to }: CopyOptions): Promise<void> => {
  const copy = await connect(to, readWrite)
  try {
    await unlock(copy, key, to)
    await copy.all('PRAGMA journal_mode = WAL', [])
  } finally {
    await copy.close()
  }
}

/** Rejects with a `ServiceError` for a full disk and with a `Refusal` for a wrong key; nothing is left then. */
export const copyStore = async (options: CopyOptions): Promise<void> => {
  const { path, to } = options
  // Made before it is filled, so that its mode is ours.
  await (await open(to, 'wx', 0o600)).close()
  try {
    await vacuum(options)
    await finish(options)
  } catch (error) {
    for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${to}${end}`, { force: true })
    throw toStoreError(error, path)
  }
}

export interface RekeyOptions {
  readonly path: string
  /** 64 hex digits each. */
  readonly from: string
  readonly to: string
}

const opens = async (path: string, key: string): Promise<boolean> => {
  const connection = await connect(path, readWrite)
  try {
    await unlock(connection, key, path)
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  } finally {
    await connection.close()
  }
}

/** What the write-ahead log holds goes into the file, and the log with it: it is under the old key. */
const settle = async (path: string, key: string): Promise<void> => {
  const connection = await connect(path, readWrite)
  try {
    await unlock(connection, key, path)
    await connection.all('PRAGMA wal_checkpoint(TRUNCATE)', [])
  } finally {
    await connection.close()
  }
}

const changeKey = async (path: string, { from, to }: RekeyOptions): Promise<void> => {
  const connection = await connect(path, readWrite)
  try {
    await unlock(connection, from, path)
    await connection.all('PRAGMA journal_mode = DELETE', [])
    await connection.exec(`PRAGMA rekey = "x'${to}'"`)
  } finally {
    await connection.close()
  }
  const again = await connect(path, readWrite)
  try {
    await unlock(again, to, path)
    await again.all('PRAGMA journal_mode = WAL', [])
  } finally {
    await again.close()
  }
}

/** Nobody else may have it open. One that is under the new key already stays as it is. `Refusal` where neither opens it. */
export const rekeyStore = async (options: RekeyOptions): Promise<void> => {
  const { path, from, to } = options
  const draft = `${path}.rekeyed`
  for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${draft}${end}`, { force: true })
  try {
    if (await opens(path, to)) return
    await settle(path, from)
    await copyStore({ path, key: from, to: draft })
    await changeKey(draft, options)
    await syncPath(draft)
    for (const end of ['-wal', '-shm']) await rm(`${path}${end}`, { force: true })
    await rename(draft, path)
    await syncPath(dirname(path))
  } catch (error) {
    throw toStoreError(error, path)
  }
}
