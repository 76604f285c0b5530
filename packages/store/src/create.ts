// Makes the database file where there is none: whole under another name first, so that a file under
// the real name was always made with a key.
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { ifPresent, Refusal, syncPath } from '@gatehouse/kernel'
import { connect, readWrite } from './connection.ts'
import { foreign, unlock } from './unlock.ts'

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
