// Reads a database from outside of its unit, running or stopped, and alters nothing: a file that is at rest is read as it is, and
// what a crash left in the write-ahead log is read in a private copy.
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect, readOnly, readOnlyUri, type Rows, rowsOf } from './connection.ts'
import { toStoreError } from './faults.ts'
import { unlock } from './database-file.ts'

export interface ReadOptions {
  readonly path: string
  /** 64 hex digits. */
  readonly key: string
}

type Act<T> = (rows: Rows) => Promise<T>

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0

const readAt = async <T>({ path, key }: ReadOptions, [address, mode]: readonly [string, number], act: Act<T>): Promise<T> => {
  const connection = await connect(address, mode)
  try {
    await unlock(connection, key, path)
    return await act(rowsOf((sql, params) => connection.all(sql, params)))
  } finally {
    await connection.close()
  }
}

const readCopy = async <T>({ path, key }: ReadOptions, act: Act<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-read-'))
  try {
    const copy = join(folder, basename(path))
    for (const end of ['', '-wal']) await copyFile(`${path}${end}`, `${copy}${end}`)
    return await readAt({ path, key }, [copy, readOnly], act)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Rejects with a `Refusal` for a wrong key, with a `ServiceError` for a file that cannot be read. */
export const readStore = async <T>(options: ReadOptions, act: Act<T>): Promise<T> => {
  const { path } = options
  try {
    await stat(path)
    // Whoever has it open has an index of its write-ahead log.
    if ((await sizeOf(`${path}-shm`)) > 0) return await readAt(options, [path, readOnly], act)
    if ((await sizeOf(`${path}-wal`)) > 0) return await readCopy(options, act)
    return await readAt(options, [`${pathToFileURL(path).href}?immutable=1`, readOnlyUri], act)
  } catch (error) {
    throw toStoreError(error, path)
  }
}
