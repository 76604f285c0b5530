// A copy of a database as it stood at one moment, made while others write to it; under the same key, as one file.
import { open, rm } from 'node:fs/promises'
import { connect, readOnly, readWrite } from './connection.ts'
import { toStoreError } from './faults.ts'
import { unlock } from './unlock.ts'

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
