// What an act sees of its transaction. After a fault nothing more is run in it, since SQLite has ended it
// and a later statement would be committed by itself.
import { isFault, toStoreError } from './faults.ts'
import type { Connection } from './connection.ts'

export type Value = string | number | null | Buffer

/** `T` is the shape of a row as the statement selects it. */
export interface Rows {
  /** The first row. */
  get<T>(sql: string, params?: readonly Value[]): Promise<T | undefined>
  all<T>(sql: string, params?: readonly Value[]): Promise<T[]>
}

/** Only inside the act that it was handed to. */
export interface Transaction extends Rows {
  run(sql: string, params?: readonly Value[]): Promise<{ changes: number }>
}

/** Reads everything in one step: a half-read statement would hold an old snapshot for all later ones. */
export const rowsOf = (all: (sql: string, params: readonly Value[]) => Promise<unknown[]>): Rows => ({
  async get<T>(sql: string, params: readonly Value[] = []) {
    const [first] = await all(sql, params)
    return first as T | undefined
  },
  async all<T>(sql: string, params: readonly Value[] = []) {
    return (await all(sql, params)) as T[]
  },
})

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
