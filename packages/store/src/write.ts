// One transaction at a time: BEGIN, the act, COMMIT, each statement awaited. A throw rolls back. After a fault nothing more runs in the
// transaction, since SQLite has ended it and a later statement would be committed by itself.
import { type Connection, type Rows, rowsOf, type Value } from './connection.ts'
import type { Connections } from './connections.ts'
import { isFault, sqliteCode, toStoreError } from './faults.ts'

/** Only inside the act that it was handed to. */
export interface Transaction extends Rows {
  run(sql: string, params?: readonly Value[]): Promise<{ changes: number }>
}

interface OpenTransaction {
  readonly tx: Transaction
  /** No statement is taken from now on. */
  end(): void
  /** The fault that has ended the transaction. */
  fault(): unknown
}

const openTransaction = (connection: Connection, path: string): OpenTransaction => {
  let ended = false
  let fault: unknown
  const guarded = async <T>(statement: () => Promise<T>): Promise<T> => {
    if (ended) throw new TypeError('a statement was run on a transaction that has ended: await every statement inside the act')
    if (fault !== undefined) throw toStoreError(fault, path)
    try {
      return await statement()
    } catch (error) {
      if (isFault(error)) fault ??= error
      throw toStoreError(error, path)
    }
  }
  return {
    tx: {
      ...rowsOf((sql, params) => guarded(() => connection.all(sql, params))),
      run: (sql, params = []) => guarded(() => connection.run(sql, params)),
    },
    end: () => {
      ended = true
    },
    fault: () => fault,
  }
}

interface Writing {
  readonly connections: Connections
  readonly path: string
}

const begin = async (writer: Connection, { connections, path }: Writing): Promise<void> => {
  try {
    await writer.exec('BEGIN IMMEDIATE')
  } catch (error) {
    if (sqliteCode(error) !== 'SQLITE_BUSY') connections.reset(error)
    throw toStoreError(error, path)
  }
}

const perform = async <T>(transaction: OpenTransaction, act: (tx: Transaction) => Promise<T>, path: string): Promise<T> => {
  try {
    const value = await act(transaction.tx)
    if (transaction.fault() !== undefined) throw toStoreError(transaction.fault(), path)
    return value
  } finally {
    transaction.end()
  }
}

/** The connection is without a transaction afterwards, or a new one. */
const rollback = async (writer: Connection, { connections }: Writing, fault?: unknown): Promise<void> => {
  if (fault !== undefined) return connections.reset(fault)
  await writer.exec('ROLLBACK').catch((error: unknown) => connections.reset(error))
}

/** A failed COMMIT may have happened all the same: the file is opened again before the next act. */
const commit = async (writer: Connection, writing: Writing): Promise<void> => {
  try {
    await writer.exec('COMMIT')
  } catch (error) {
    await rollback(writer, writing, isFault(error) ? error : undefined)
    throw toStoreError(error, writing.path)
  }
}

/** The act's own value; rejects with what the act threw, or with a `ServiceError` if the database failed. */
export const write = async <T>(writing: Writing, act: (tx: Transaction) => Promise<T>): Promise<T> => {
  const { writer } = await writing.connections.sound()
  await begin(writer, writing)
  const transaction = openTransaction(writer, writing.path)
  let value: T
  try {
    value = await perform(transaction, act, writing.path)
  } catch (error) {
    await rollback(writer, writing, transaction.fault())
    throw error
  }
  await commit(writer, writing)
  return value
}
