// What an act sees of its transaction. After a fault nothing more is run in it, since SQLite has ended it
// and a later statement would be committed by itself.
import { isFault, toStoreError } from './faults.ts'
import type { Connection } from './connection.ts'
import { type Rows, rowsOf, type Value } from './rows.ts'

/** Only inside the act that it was handed to. */
export interface Transaction extends Rows {
  run(sql: string, params?: readonly Value[]): Promise<{ changes: number }>
}

export interface OpenTransaction {
  readonly tx: Transaction
  /** No statement is taken from now on. */
  end(): void
  /** The fault that has ended the transaction. */
  fault(): unknown
}

export const openTransaction = (connection: Connection, path: string): OpenTransaction => {
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
