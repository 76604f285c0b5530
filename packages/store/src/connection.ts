// One connection to a SQLCipher file: promises over the addon's callbacks, and one statement at a time,
// since the addon runs queued statements unordered in a thread pool. Throws the addon's own errors.
import { createSerialQueue } from '@gatehouse/kernel'
import sqlcipher, { type Database, type Statement } from '@journeyapps/sqlcipher'

export type Value = string | number | null | Buffer

/** `T` is the shape of a row as the statement selects it. */
export interface Rows {
  /** The first row. */
  get<T>(sql: string, params?: readonly Value[]): Promise<T | undefined>
  all<T>(sql: string, params?: readonly Value[]): Promise<T[]>
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

export interface Connection {
  all(sql: string, params: readonly Value[]): Promise<unknown[]>
  run(sql: string, params: readonly Value[]): Promise<{ changes: number }>
  /** Statements without parameters and without rows; not kept prepared. */
  exec(sql: string): Promise<void>
  /** After the statements that wait. */
  close(): Promise<void>
}

export const readWrite = sqlcipher.OPEN_READWRITE
export const readOnly = sqlcipher.OPEN_READONLY
/** For a `file:` URI. */
export const readOnlyUri = sqlcipher.OPEN_READONLY | sqlcipher.OPEN_URI

const preparedMost = 100

type Done<T> = (error: Error | null, value?: T) => void
const promised = <T>(start: (done: Done<T>) => void): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    start((error, value) => (error === null || error === undefined ? resolve(value) : reject(error)))
  })

/** Prepared statements by their text, the least recently used ones dropped. */
const createPrepared = (database: Database) => {
  const kept = new Map<string, Statement>()
  const drop = (sql: string, statement: Statement): Promise<unknown> => {
    kept.delete(sql)
    return promised((done) => statement.finalize(() => done(null)))
  }
  return {
    async prepare(sql: string): Promise<Statement> {
      const found = kept.get(sql)
      if (found !== undefined) {
        kept.delete(sql)
        kept.set(sql, found)
        return found
      }
      const [oldest] = kept
      if (kept.size >= preparedMost && oldest !== undefined) await drop(...oldest)
      const statement = await new Promise<Statement>((resolve, reject) => {
        const made: Statement = database.prepare(sql, (error) => (error === null ? resolve(made) : reject(error)))
      })
      kept.set(sql, statement)
      return statement
    },
    async dropAll(): Promise<void> {
      for (const [sql, statement] of kept) await drop(sql, statement)
    },
  }
}

const openDatabase = (path: string, mode: number): Promise<Database> =>
  new Promise((resolve, reject) => {
    const database: Database = new sqlcipher.Database(path, mode, (error) => (error === null ? resolve(database) : reject(error)))
  })

export const connect = async (path: string, mode: number): Promise<Connection> => {
  const database = await openDatabase(path, mode)
  const prepared = createPrepared(database)
  const queue = createSerialQueue()
  return {
    all: (sql, params) =>
      queue(async () => {
        const statement = await prepared.prepare(sql)
        return (await promised<unknown[]>((done) => statement.all(params, done))) ?? []
      }),
    run: (sql, params) =>
      queue(async () => {
        const statement = await prepared.prepare(sql)
        return new Promise((resolve, reject) => {
          statement.run(params, function (error) {
            if (error === null) resolve({ changes: this.changes })
            else reject(error)
          })
        })
      }),
    exec: (sql) => queue(async () => void (await promised((done) => database.exec(sql, done)))),
    close: () =>
      queue(async () => {
        await prepared.dropAll()
        await promised((done) => database.close(done))
      }),
  }
}
