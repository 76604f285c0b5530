// Rows as a caller reads them.

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
