// The audit, newest first: all of it, or what a filter and the reach of the reader leave. A cursor is the number of the
// last line shown.
import type { AuditEntry, Principal } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { bounded, type Page, readCursor, takePage } from '../input/page.ts'
import { maskDetail } from '../secrets/mask.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { lastIndexed } from './line-index.ts'
import { type Filter, type Found, matches, searchLines, spanOf } from './search.ts'

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
