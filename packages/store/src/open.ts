// Opens a store: one encrypted file, one writer behind a queue, one reader.
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exits } from '@gatehouse/contracts'
import { createSerialQueue, type Logger, Refusal } from '@gatehouse/kernel'
import { connect, type Connection, readOnly, readOnlyUri, type Rows, rowsOf } from './connection.ts'
import { Connections } from './connections.ts'
import { ensureFile, probe, unlock } from './database-file.ts'
import { isFault, toStoreError } from './faults.ts'
import { type Transaction, write } from './write.ts'

/** A step is a list of statements; `PRAGMA user_version` counts the steps that were taken. */
type Migrations = readonly (readonly string[])[]

const versionOf = async (connection: Connection): Promise<number> => {
  const [row] = (await connection.all('PRAGMA user_version', [])) as { user_version: number }[]
  return row?.user_version ?? 0
}

const step = async (connection: Connection, statements: readonly string[], version: number): Promise<void> => {
  await connection.exec('BEGIN IMMEDIATE')
  try {
    for (const statement of statements) await connection.exec(statement)
    await connection.exec(`PRAGMA user_version = ${version}`)
    await connection.exec('COMMIT')
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {})
    throw error
  }
}

const migrate = async (connection: Connection, migrations: Migrations, path: string): Promise<void> => {
  const version = await versionOf(connection)
  if (version > migrations.length) {
    throw new Refusal(exits.configuration, {
      detail: `${path}: expected schema ${migrations.length} or older, got ${version}`,
      hint: 'start the newer release that wrote it, or restore a backup of this release',
    })
  }
  for (const [index, statements] of migrations.entries()) {
    if (index >= version) await step(connection, statements, index + 1)
  }
}

/** Pages; less is soon used again. */
const few = 256

const numberOf = async (writer: Connection, pragma: 'page_count' | 'freelist_count'): Promise<number> => {
  const [row] = (await writer.all(`PRAGMA ${pragma}`, [])) as Partial<Record<string, number>>[]
  return row?.[pragma] ?? 0
}

/** What is kept is written once more, so it is worth it only where that is the smaller half. */
const compact = async (connections: Connections, path: string): Promise<void> => {
  const { writer } = await connections.sound()
  try {
    const [free, all] = [await numberOf(writer, 'freelist_count'), await numberOf(writer, 'page_count')]
    if (free > few && free * 2 > all) await writer.exec('VACUUM')
    await writer.all('PRAGMA wal_checkpoint(TRUNCATE)', [])
  } catch (error) {
    if (isFault(error)) connections.reset(error)
    throw toStoreError(error, path)
  }
}

export interface Store {
  /**
   * Runs `act` in a transaction of its own, after those handed in before. On disk when it resolves. A throw rolls
   * back. `ServiceError` `unavailable` or `internal` after a fault: the act may then have happened, so key its
   * effects by an id. Never called from inside another act, which it would wait for.
   */
  write<T>(act: (tx: Transaction) => Promise<T>): Promise<T>
  /** What was committed, in a connection of its own. */
  readonly read: Rows
  /** Gives room of removed rows back to the disk, after the acts that wait. May fail without harm: nothing is lost. */
  compact(): Promise<void>
  /** After the acts that wait. */
  close(): Promise<void>
}

export interface StoreOptions {
  readonly path: string
  /** 64 hex digits. */
  readonly key: string
  readonly migrations: Migrations
  readonly log?: Logger
}

/** Throws a `Refusal` for a wrong key, a foreign file or a newer schema, and then has altered nothing. */
export const openStore = async ({ path, key, migrations, log }: StoreOptions): Promise<Store> => {
  try {
    await ensureFile(path, key)
    await probe(path, key)
  } catch (error) {
    throw toStoreError(error, path)
  }
  const connections = new Connections({ path, key, log })
  try {
    await migrate((await connections.current()).writer, migrations, path)
  } catch (error) {
    await connections.close()
    throw toStoreError(error, path)
  }
  const queue = createSerialQueue()
  return {
    write: (act) => queue(() => write({ connections, path }, act)),
    read: rowsOf(async (sql, params) => {
      const { reader } = await connections.current()
      return reader.all(sql, params).catch((error: unknown) => {
        throw toStoreError(error, path)
      })
    }),
    compact: () => queue(() => compact(connections, path)),
    close: () => queue(() => connections.close()),
  }
}

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
