// Finds lines of the journal by the index, newest first.
import type { Position } from '@gatehouse/journal'
import type { Rows, Value } from '@gatehouse/store'

export interface Filter {
  readonly stage?: string | undefined
  readonly principal?: string | undefined
  readonly changeID?: string | undefined
  readonly kind?: string | undefined
  readonly agentGroupID?: string | undefined
  /** From then on. */
  readonly since?: string | undefined
  /** Up to and without. */
  readonly until?: string | undefined
  /** Lines of these groups alone. */
  readonly groups?: readonly string[] | undefined
}

export interface Found extends Position {
  readonly seq: number
}

/** Lines numbered `from` up to and without `to`. */
export interface Span {
  readonly from: number
  readonly to: number
}

const columns = {
  change_id: (filter: Filter) => filter.changeID,
  agent_group_id: (filter: Filter) => filter.agentGroupID,
  principal: (filter: Filter) => filter.principal,
  kind: (filter: Filter) => filter.kind,
  stage: (filter: Filter) => filter.stage,
} as const

interface Condition {
  readonly column: string
  readonly value: string
}

const conditionsOf = (filter: Filter): Condition[] =>
  Object.entries(columns).flatMap(([column, read]) => {
    const value = read(filter)
    return value === undefined ? [] : [{ column, value }]
  })

/** Beyond so many lines one index is as good as another. */
const many = 5_000

const count = async (rows: Rows, { column, value }: Condition, { from, to }: Span): Promise<number> => {
  const sql = `SELECT count(*) AS found FROM (SELECT 1 FROM lines WHERE ${column} = ? AND seq >= ? AND seq < ? LIMIT ${many})`
  return (await rows.get<{ found: number }>(sql, [value, from, to]))?.found ?? 0
}

/** The condition that leaves the fewest lines; a second one is looked at only if there is one. */
const narrowest = async (rows: Rows, conditions: readonly Condition[], span: Span): Promise<Condition | undefined> => {
  let [best] = conditions
  if (conditions.length < 2) return best
  let least = Infinity
  for (const condition of conditions) {
    const found = await count(rows, condition, span)
    if (found < least) [best, least] = [condition, found]
    if (least < many / 10) break
  }
  return best
}

/** A `+` before a column keeps its index out of use. */
const where = (conditions: readonly Condition[], by: Condition | undefined): string =>
  conditions.map((condition) => `${condition === by ? '' : '+'}${condition.column} = ? AND `).join('')

/** The first line that is not older than the time, by halving, since times never go back. */
const lineAt = async (rows: Rows, time: string): Promise<number> => {
  const sql = `WITH RECURSIVE halves (low, high) AS (
      SELECT 1, coalesce((SELECT max(seq) FROM lines), 0) + 1
      UNION ALL
      SELECT iif((SELECT time FROM lines WHERE seq = (low + high) / 2) < ?1, (low + high) / 2 + 1, low),
             iif((SELECT time FROM lines WHERE seq = (low + high) / 2) < ?1, high, (low + high) / 2)
      FROM halves WHERE low < high)
    SELECT low FROM halves WHERE low >= high`
  return (await rows.get<{ low: number }>(sql, [new Date(time).toISOString()]))?.low ?? 1
}

/** What the times of a filter leave. */
export const spanOf = async (rows: Rows, { since, until }: Filter, before: number): Promise<Span> => ({
  from: since === undefined ? 1 : await lineAt(rows, since),
  to: until === undefined ? before : Math.min(before, await lineAt(rows, until)),
})

const places = 'seq, file, start, length'

export const searchLines = async (rows: Rows, filter: Filter, { limit, ...span }: Span & { limit: number }): Promise<Found[]> => {
  const conditions = conditionsOf(filter)
  const by = await narrowest(rows, conditions, span)
  const given: Value[] = [...conditions.map(({ value }) => value), span.from, span.to, limit]
  const rest = `${where(conditions, by)}seq >= ? AND seq < ? ORDER BY seq DESC LIMIT ?`
  if (filter.groups === undefined) return rows.all<Found>(`SELECT ${places} FROM lines WHERE ${rest}`, given)
  const groups = JSON.stringify(filter.groups)
  if (by !== undefined)
    return rows.all<Found>(`SELECT ${places} FROM lines WHERE +agent_group_id IN (SELECT value FROM json_each(?)) AND ${rest}`, [
      groups,
      ...given,
    ])
  // The newest of all groups are among the newest of each.
  const ofEach = `SELECT seq FROM lines WHERE agent_group_id = bound.value AND ${rest}`
  return rows.all<Found>(
    `SELECT ${places} FROM lines WHERE seq IN (SELECT newest.seq FROM json_each(?) AS bound, lines AS newest WHERE newest.seq IN (${ofEach}))
     ORDER BY seq DESC LIMIT ?`,
    [groups, ...given, limit],
  )
}

/** The same judgement for a line that is not in the index yet. */
export const matches = (filter: Filter, entry: Omit<Filter, 'since' | 'until' | 'groups'> & { readonly time: string }): boolean =>
  Object.values(columns).every((read) => read(filter) === undefined || read(filter) === read(entry)) &&
  (filter.since === undefined || Date.parse(entry.time) >= Date.parse(filter.since)) &&
  (filter.until === undefined || Date.parse(entry.time) < Date.parse(filter.until)) &&
  (filter.groups === undefined || filter.groups.some((group) => group === entry.agentGroupID))
