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

export interface IndexedRecord extends Position {
  readonly seq: number
}

/** Records with numbers from `from` up to but not including `to`. */
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

const listConditions = (filter: Filter): Condition[] =>
  Object.entries(columns).flatMap(([column, read]) => {
    const value = read(filter)
    return value === undefined ? [] : [{ column, value }]
  })

/** Beyond this number of records, the choice of index no longer matters. */
const countLimit = 5_000

const count = async (rows: Rows, { column, value }: Condition, { from, to }: Span): Promise<number> => {
  const sql = `SELECT count(*) AS found FROM (SELECT 1 FROM lines WHERE ${column} = ? AND seq >= ? AND seq < ? LIMIT ${countLimit})`
  return (await rows.get<{ found: number }>(sql, [value, from, to]))?.found ?? 0
}

/** The condition that matches the fewest records. */
const findNarrowest = async (rows: Rows, conditions: readonly Condition[], span: Span): Promise<Condition | undefined> => {
  let [best] = conditions
  if (conditions.length < 2) return best
  let fewest = Infinity
  for (const condition of conditions) {
    const matched = await count(rows, condition, span)
    if (matched < fewest) [best, fewest] = [condition, matched]
    if (fewest < countLimit / 10) break
  }
  return best
}

/** A `+` before a column prevents the use of its index. */
const where = (conditions: readonly Condition[], by: Condition | undefined): string =>
  conditions.map((condition) => `${condition === by ? '' : '+'}${condition.column} = ? AND `).join('')

/** The first record at or after a time, by binary search: times never decrease. */
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

/** The records within the times of a filter. */
const findSpan = async (rows: Rows, { since, until }: Filter, before: number): Promise<Span> => ({
  from: since === undefined ? 1 : await lineAt(rows, since),
  to: until === undefined ? before : Math.min(before, await lineAt(rows, until)),
})

const places = 'seq, file, start, length'

const searchLines = async (rows: Rows, filter: Filter, { limit, ...span }: Span & { limit: number }): Promise<IndexedRecord[]> => {
  const conditions = listConditions(filter)
  const by = await findNarrowest(rows, conditions, span)
  const params: Value[] = [...conditions.map(({ value }) => value), span.from, span.to, limit]
  const rest = `${where(conditions, by)}seq >= ? AND seq < ? ORDER BY seq DESC LIMIT ?`
  if (filter.groups === undefined) return rows.all<IndexedRecord>(`SELECT ${places} FROM lines WHERE ${rest}`, params)
  const groups = JSON.stringify(filter.groups)
  if (by !== undefined)
    return rows.all<IndexedRecord>(`SELECT ${places} FROM lines WHERE +agent_group_id IN (SELECT value FROM json_each(?)) AND ${rest}`, [
      groups,
      ...params,
    ])
  // The newest of all groups are among the newest of each.
  const ofEach = `SELECT seq FROM lines WHERE agent_group_id = bound.value AND ${rest}`
  return rows.all<IndexedRecord>(
    `SELECT ${places} FROM lines WHERE seq IN (SELECT newest.seq FROM json_each(?) AS bound, lines AS newest WHERE newest.seq IN (${ofEach}))
     ORDER BY seq DESC LIMIT ?`,
    [groups, ...params, limit],
  )
}

/** Applies the filter to a record that is not in the index yet. */
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

/** Reads at most `limit` records after `last`. */
type Source = (limit: number, last: AuditEntry | undefined) => Promise<AuditEntry[]>

const unfiltered =
  (journal: Journal, from: number | undefined): Source =>
  (limit, last) => {
    const before = last?.seq ?? from
    return journal.page(before === undefined ? { limit } : { limit, before })
  }

/** Reads records at their indexed positions. If a position is wrong, searches the journal. */
const readRecords = async (journal: Journal, found: readonly IndexedRecord[]): Promise<AuditEntry[]> => {
  const entries = await journal.entriesAt(found)
  if (entries.length === found.length) return entries
  const searched = await Promise.all(found.map(({ seq }) => journal.page({ limit: 1, before: seq + 1 })))
  return searched.flat()
}

/** Records after the last indexed one, newest first. */
const readTail = async (journal: Journal, filter: Filter, { from, to }: { from: number; to: number }): Promise<AuditEntry[]> => {
  const entries: AuditEntry[] = []
  if (from >= Math.min(journal.head().seq + 1, to)) return entries
  for await (const entry of journal.entriesAfter(from - 1)) if (entry.seq < to && matches(filter, entry)) entries.unshift(entry)
  return entries
}

/** Searches once for the whole page. The records are read when they are taken. */
const filtered = async (
  { journal, store }: AuditDeps,
  filter: Filter,
  { maximum, from = Number.MAX_SAFE_INTEGER }: { maximum: number; from?: number | undefined },
): Promise<Source> => {
  const unindexed = (await lastIndexed(store.read)) + 1
  const newest = await readTail(journal, filter, { from: unindexed, to: from })
  // Records that are indexed from now on are already in the tail.
  const span = await findSpan(store.read, filter, Math.min(from, unindexed))
  const found = await searchLines(store.read, filter, { ...span, limit: maximum })
  let taken = 0
  return async (limit) => {
    const [start, end] = [taken, (taken += limit)]
    const rest = found.slice(Math.max(0, start - newest.length), Math.max(0, end - newest.length))
    return [...newest.slice(start, end), ...(await readRecords(journal, rest))]
  }
}

const isFiltered = ({ limit: _limit, cursor: _cursor, ...filter }: Query & Pick<Filter, 'groups'>): boolean =>
  Object.values(filter).some((value) => value !== undefined)

/** Reads a page of the audit log. A principal that is limited to some groups sees only their records. */
export const pageAudit = async (
  deps: AuditDeps,
  { groups }: Pick<Principal, 'groups'>,
  query: Query,
): Promise<{ items: AuditEntry[]; nextCursor?: string }> => {
  const from = query.cursor === undefined ? undefined : readCursor(Cursor, query.cursor)
  const filter = { ...query, groups }
  const source = isFiltered(filter)
    ? await filtered(deps, filter, { maximum: bounded(query.limit) + 1, from })
    : unfiltered(deps.journal, from)
  const { items, more } = await takePage(query.limit, source)
  const last = items.at(-1)
  return {
    items: items.map((entry) => ({ ...entry, detail: maskDetail(deps.secrets, entry.detail) })),
    ...(more && last !== undefined ? { nextCursor: String(last.seq) } : {}),
  }
}
