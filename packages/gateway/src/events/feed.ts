// Events from journal records, without their details: live, and replayed from the journal.
import { type AuditEntry, limits, type News, type Principal } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import type { Store } from '@gatehouse/store'
import { lastIndexed } from '../ledger/line-index.ts'
import type { IndexedRecord } from '../ledger/query.ts'
import { sees } from '../state/roles.ts'

/** Checkpoints are internal to the journal. */
const isNews = ({ stage }: AuditEntry): boolean => stage !== 'checkpoint'

const toNews = ({ seq, time, stage, principal, by, changeID, kind, agentGroupID }: AuditEntry): News => ({
  seq,
  time,
  stage,
  principal,
  ...(by === undefined ? {} : { by }),
  ...(changeID === undefined ? {} : { changeID }),
  ...(kind === undefined ? {} : { kind }),
  ...(agentGroupID === undefined ? {} : { agentGroupID }),
})

export const toEvents = (entries: readonly AuditEntry[]): News[] => entries.filter(isNews).map(toNews)

export interface FeedDeps {
  readonly journal: Pick<Journal, 'head' | 'linesAfter' | 'entriesAt'>
  readonly store: Pick<Store, 'read'>
  /** Maximum amount of journal that one answer reads. */
  readonly bounds?: Bounds
}

export interface Bounds {
  readonly lines: number
  readonly bytes: number
}

export interface After {
  readonly after: number
  readonly limit: number
}

/** Records after `after` up to and including `to`. */
interface FeedRange extends After, Bounds {
  readonly to: number
}

interface FeedPage {
  readonly items: News[]
  /** Number of the last record that was read. */
  readonly upTo: number
}

/** Reads the journal record by record. */
const scan = async ({ journal }: FeedDeps, principal: Principal, { after, to, limit, bytes }: FeedRange): Promise<FeedPage> => {
  const items: News[] = []
  let [upTo, size] = [after, 0]
  for await (const { entry, length } of journal.linesAfter(after)) {
    if (items.length >= limit || entry.seq > to || size > bytes) break
    size += length
    upTo = entry.seq
    if (isNews(entry) && sees(principal, entry.agentGroupID)) items.push(toNews(entry))
  }
  return { items, upTo }
}

const groupQuery = `SELECT seq, file, start, length FROM lines WHERE agent_group_id IN (SELECT value FROM json_each(?))
  AND seq > ? AND seq <= ? AND stage <> 'checkpoint' ORDER BY seq LIMIT ?`

/** The first record, and the next ones that fit. */
const limitBytes = (found: readonly IndexedRecord[], bytes: number): readonly IndexedRecord[] => {
  let size = 0
  return found.filter(({ length }, index) => (size += length) <= bytes || index === 0)
}

/** Uses the index, which must cover the range. If a position in it is wrong, scans the journal. */
const search = async (deps: FeedDeps, principal: Principal, range: FeedRange): Promise<FeedPage> => {
  const { after, to, limit, bytes } = range
  const found = await deps.store.read.all<IndexedRecord>(groupQuery, [JSON.stringify(principal.groups), after, to, limit])
  const taken = limitBytes(found, bytes)
  const entries = await deps.journal.entriesAt(taken)
  if (entries.length !== taken.length) return scan(deps, principal, range)
  const isComplete = found.length < limit && taken.length === found.length
  return { items: toEvents(entries), upTo: isComplete ? to : (taken.at(-1)?.seq ?? after) }
}

/** Reads the events after a record that the principal may see, oldest first, up to the bounds of one answer. */
export const readFeed = async (deps: FeedDeps, principal: Principal, { after, limit }: After): Promise<FeedPage & { head: number }> => {
  const { bounds = { lines: limits.newsLines, bytes: limits.newsBytes } } = deps
  const head = deps.journal.head().seq
  if (after >= head || limit <= 0) return { items: [], head, upTo: Math.min(after, head) }
  const from = Math.max(0, after)
  const range = { ...bounds, after: from, limit, to: Math.min(head, from + bounds.lines) }
  const indexed = principal.groups === undefined ? 0 : Math.min(range.to, await lastIndexed(deps.store.read))
  const page = indexed > from ? await search(deps, principal, { ...range, to: indexed }) : await scan(deps, principal, range)
  return { ...page, head }
}
