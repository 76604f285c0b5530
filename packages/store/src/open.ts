// Opens a store: one encrypted file, one writer behind a queue, one reader.
import type { Logger } from '@gatehouse/kernel'
import { compact } from './compact.ts'
import { Connections } from './connections.ts'
import { ensureFile } from './create.ts'
import { toStoreError } from './faults.ts'
import { type Migrations, migrate } from './migrate.ts'
import { createQueue } from './queue.ts'
import { type Rows, rowsOf } from './rows.ts'
import type { Transaction } from './transaction.ts'
import { probe } from './unlock.ts'
import { write } from './write.ts'

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
  const queue = createQueue()
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
