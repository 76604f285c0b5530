// Keeps the two connections to a file and opens them again after a fault; what a failed sync left in doubt is
// written anew before the next act.
import { ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { connect, type Connection, readOnly, readWrite } from './connection.ts'
import { isDiskFull, sqliteCode, toStoreError } from './faults.ts'
import { unlock } from './database-file.ts'

interface Pair {
  readonly writer: Connection
  readonly reader: Connection
}

interface Kind {
  readonly mode: number
  readonly settings: readonly string[]
}

const writing: Kind = { mode: readWrite, settings: ['synchronous = FULL', 'foreign_keys = ON', 'trusted_schema = OFF'] }
const reading: Kind = { mode: readOnly, settings: ['query_only = ON', 'trusted_schema = OFF'] }

const openOne = async (path: string, key: string, { mode, settings }: Kind): Promise<Connection> => {
  const connection = await connect(path, mode)
  try {
    await unlock(connection, key, path)
    for (const setting of settings) await connection.exec(`PRAGMA ${setting}`)
    const [journal] = (await connection.all('PRAGMA journal_mode', [])) as { journal_mode: string }[]
    if (journal?.journal_mode !== 'wal') throw new Error(`${path}: expected journal_mode wal, got ${journal?.journal_mode}`)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

const openPair = async (path: string, key: string): Promise<Pair> => {
  const writer = await openOne(path, key, writing)
  try {
    return { writer, reader: await openOne(path, key, reading) }
  } catch (error) {
    await writer.close()
    throw error
  }
}

/** The writer last: whoever closes last folds the write-ahead log into the file. */
const closePair = async ({ reader, writer }: Pair): Promise<void> => {
  await reader.close()
  await writer.close()
}

export interface ConnectionsOptions {
  readonly path: string
  readonly key: string
  readonly log?: Logger | undefined
}

export class Connections {
  readonly #options: ConnectionsOptions
  #pair: Promise<Pair> | undefined
  /** A sync has failed: pages of the write-ahead log may be in memory alone. */
  #doubt = false

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  /** For reads: opened if need be. */
  current(): Promise<Pair> {
    return (this.#pair ??= this.#keep(this.#open()))
  }

  /** For an act: everything acknowledged is on disk. */
  async sound(): Promise<Pair> {
    const pair = await this.current()
    if (this.#doubt) await this.#rewrite(pair)
    this.#doubt = false
    return pair
  }

  /** After a fault: nothing that was read before counts. */
  reset(fault: unknown): void {
    const { path, log } = this.#options
    log?.warn('the database is closed and opened again after a fault', { path, code: sqliteCode(fault) })
    this.#doubt ||= !isDiskFull(fault)
    const old = this.#pair
    const reopened = async (): Promise<Pair> => {
      // What cannot be closed cleanly is given up.
      await old?.then(closePair).catch(() => {})
      return this.#open()
    }
    this.#pair = this.#keep(reopened())
  }

  async close(): Promise<void> {
    const old = this.#pair
    this.#pair = this.#keep(Promise.reject(new ServiceError('unavailable', { detail: `${this.#options.path}: the store is closed` })), true)
    await old?.then(closePair, () => {})
  }

  #open(): Promise<Pair> {
    return openPair(this.#options.path, this.#options.key)
  }

  /** A failure is told to all who ask now; the next one tries again, unless it is for good. */
  #keep(opening: Promise<Pair>, forGood = false): Promise<Pair> {
    const kept: Promise<Pair> = opening.catch((error: unknown) => {
      if (this.#pair === kept && !forGood) this.#pair = undefined
      throw toStoreError(error, this.#options.path)
    })
    kept.catch(() => {})
    return kept
  }

  /** Copies every page out of the write-ahead log and syncs it, so that none rests on the sync that failed. */
  async #rewrite({ writer }: Pair): Promise<void> {
    const { path } = this.#options
    try {
      const [result] = (await writer.all('PRAGMA wal_checkpoint(TRUNCATE)', [])) as { busy: number }[]
      if (result?.busy !== 0) throw new ServiceError('unavailable', { detail: `${path}: another program holds the write-ahead log` })
    } catch (error) {
      throw toStoreError(error, path)
    }
  }
}
