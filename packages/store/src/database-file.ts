// The database file: made whole, given its key, and probed. A wrong key is a refusal, never an empty store.
import assert from 'node:assert/strict'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exits } from '@gatehouse/contracts'
import { ifPresent, Refusal, syncPath } from '@gatehouse/kernel'
import { connect, type Connection, readOnly, readOnlyUri, readWrite } from './connection.ts'
import { sqliteCode } from './faults.ts'

const foreign = (path: string, got: string): Refusal =>
  new Refusal(exits.configuration, {
    detail: `${path}: expected a database encrypted with this installation's master key, got ${got}`,
    hint: `put back the keyring (or SERVICE_MASTER_KEY_FILE) that ${path} was made with, or restore the whole state directory from a backup; nothing was changed`,
  })

/** Raw key: no passphrase is derived, which opens in 1 ms. */
export const unlock = async (connection: Connection, key: string, path: string): Promise<void> => {
  assert.match(key, /^[0-9a-f]{64}$/, 'the key is 64 hex digits')
  // The addon would write its own lines to stderr, which is the log.
  await connection.exec('PRAGMA cipher_log_level = NONE')
  await connection.exec(`PRAGMA key = "x'${key}'"`)
  try {
    await connection.all('SELECT count(*) FROM sqlite_schema', [])
  } catch (error) {
    throw sqliteCode(error) === 'SQLITE_NOTADB' ? foreign(path, 'another key or another kind of file') : error
  }
}

const hasContent = async (path: string): Promise<boolean> => ((await stat(path, { bigint: true }).catch(() => undefined))?.size ?? 0n) > 0n

/**
 * Opens the file without altering it and throws a `Refusal` unless the key fits. What a crash left in the
 * write-ahead log counts, since the first page may be whole only there.
 */
export const probe = async (path: string, key: string): Promise<void> => {
  const crashed = await hasContent(`${path}-wal`)
  const connection = crashed ? await connect(path, readOnly) : await connect(`${pathToFileURL(path).href}?immutable=1`, readOnlyUri)
  try {
    await unlock(connection, key, path)
  } finally {
    await connection.close()
  }
}

const create = async (path: string, key: string): Promise<void> => {
  const draft = `${path}.new`
  for (const leftover of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`]) await rm(leftover, { force: true })
  // SQLite gives its side files the mode of this one.
  await (await open(draft, 'wx', 0o600)).close()
  const connection = await connect(draft, readWrite)
  try {
    await unlock(connection, key, draft)
    const [cipher] = await connection.all('PRAGMA cipher_version', [])
    if (cipher === undefined) throw new Error('the SQLite addon was built without encryption')
    await connection.all('PRAGMA journal_mode = WAL', [])
  } finally {
    await connection.close()
  }
  await syncPath(draft)
  await rename(draft, path)
  await syncPath(dirname(path))
}

/** Makes the file if it never was there; refuses what cannot be a database of ours. */
export const ensureFile = async (path: string, key: string): Promise<void> => {
  const file = await ifPresent(stat(path))
  if (file === undefined) {
    if ((await ifPresent(stat(`${path}-wal`))) === undefined) return create(path, key)
    throw new Refusal(exits.configuration, {
      detail: `${path}: expected the database that belongs to ${path}-wal, found no file`,
      hint: `restore ${path} from a backup, or move ${path}-wal away to begin with an empty database`,
    })
  }
  if (!file.isFile()) throw foreign(path, 'something that is not a file')
  if (file.size === 0) throw foreign(path, 'an empty file')
}
