// Gives a connection its key and finds out whether the file is ours. A wrong key is a refusal, never an empty store.
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { type Connection, connect, readOnly, readOnlyUri } from './connection.ts'
import { sqliteCode } from './faults.ts'

export const foreign = (path: string, got: string): Refusal =>
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
