// Queries the audit log, newest first, with filters and the groups that the reader may see.
import type { AuditEntry, Principal } from '@gatehouse/contracts'
import type { Journal, Position } from '@gatehouse/journal'
import type { Rows, Store, Value } from '@gatehouse/store'
import * as v from 'valibot'
import { bounded, type Page, readCursor, takePage } from '../input.ts'
import { maskDetail, type Secrets } from '../secrets.ts'
import { lastIndexed } from './line-index.ts'

/** Selects records of the journal. */
export interface Filter {
  readonly stage?: string | undefined
  readonly principal?: string | undefined
  readonly changeID?: string | undefined
  readonly kind?: string | undefined
  readonly agentGroupID?: string | undefined
  /** Records at or after this time. */
  readonly since?: string | undefined
  /** Records before this time. */
  readonly until?: string | undefined
  /** Only records of these groups. */
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
const spanOf = async (rows: Rows, { since, until }: Filter, before: number): Promise<Span> => ({
  from: since === undefined ? 1 : await lineAt(rows, since),
  to: until === undefined ? before : Math.min(before, await lineAt(rows, until)),
})

const places = 'seq, file, start, length'

const searchLines = async (rows: Rows, filter: Filter, { limit, ...span }: Span & { limit: number }): Promise<Found[]> => {
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
const matches = (filter: Filter, entry: Omit<Filter, 'since' | 'until' | 'groups'> & { readonly time: string }): boolean =>
  Object.values(columns).every((read) => read(filter) === undefined || read(filter) === read(entry)) &&
  (filter.since === undefined || Date.parse(entry.time) >= Date.parse(filter.since)) &&
  (filter.until === undefined || Date.parse(entry.time) < Date.parse(filter.until)) &&
  (filter.groups === undefined || filter.groups.some((group) => group === entry.agentGroupID))

const Cursor = v.pipe(v.string(), v.regex(/^[1-9]\d{0,14}$/), v.transform(Number))

export interface AuditDeps {
  readonly journal: Journal
  readonly store: Store
  readonly secrets: Pick<Secrets, 'owns'>
}

type Query = Page & Omit<Filter, 'groups'>

/** Gives at most so many lines behind the last one that was taken. */
type Source = (limit: number, last: AuditEntry | undefined) => Promise<AuditEntry[]>

const whole =
  (journal: Journal, from: number | undefined): Source =>
  (limit, last) => {
    const before = last?.seq ?? from
    return journal.page(before === undefined ? { limit } : { limit, before })
  }

/** Where the index is wrong about a place, the journal is asked. */
const fetch = async (journal: Journal, found: readonly Found[]): Promise<AuditEntry[]> => {
  const entries = await journal.entriesAt(found)
  if (entries.length === found.length) return entries
  const searched = await Promise.all(found.map(({ seq }) => journal.page({ limit: 1, before: seq + 1 })))
  return searched.flat()
}

/** Lines that came after the last one that the index holds, newest first. */
const tail = async (journal: Journal, filter: Filter, { from, to }: { from: number; to: number }): Promise<AuditEntry[]> => {
  const entries: AuditEntry[] = []
  if (from >= Math.min(journal.head().seq + 1, to)) return entries
  for await (const entry of journal.entriesAfter(from - 1)) if (entry.seq < to && matches(filter, entry)) entries.unshift(entry)
  return entries
}

/** One search for the whole page; the lines themselves are read as far as they are taken. */
const filtered = async (
  { journal, store }: AuditDeps,
  filter: Filter,
  { most, from = Number.MAX_SAFE_INTEGER }: { most: number; from?: number | undefined },
): Promise<Source> => {
  const unindexed = (await lastIndexed(store.read)) + 1
  const newest = await tail(journal, filter, { from: unindexed, to: from })
  // What comes into the index meanwhile is in the tail already.
  const span = await spanOf(store.read, filter, Math.min(from, unindexed))
  const found = await searchLines(store.read, filter, { ...span, limit: most })
  let taken = 0
  return async (limit) => {
    const [start, end] = [taken, (taken += limit)]
    const rest = found.slice(Math.max(0, start - newest.length), Math.max(0, end - newest.length))
    return [...newest.slice(start, end), ...(await fetch(journal, rest))]
  }
}

const isFiltered = ({ limit: _limit, cursor: _cursor, ...filter }: Query & Pick<Filter, 'groups'>): boolean =>
  Object.values(filter).some((value) => value !== undefined)

/** Whoever is bound to some groups sees the lines of these alone. */
export const pageAudit = async (
  deps: AuditDeps,
  { groups }: Pick<Principal, 'groups'>,
  query: Query,
): Promise<{ items: AuditEntry[]; nextCursor?: string }> => {
  const from = query.cursor === undefined ? undefined : readCursor(Cursor, query.cursor)
  const filter = { ...query, groups }
  const source = isFiltered(filter) ? await filtered(deps, filter, { most: bounded(query.limit) + 1, from }) : whole(deps.journal, from)
  const { items, more } = await takePage(query.limit, source)
  const last = items.at(-1)
  return {
    items: items.map((entry) => ({ ...entry, detail: maskDetail(deps.secrets, entry.detail) })),
    ...(more && last !== undefined ? { nextCursor: String(last.seq) } : {}),
  }
}
