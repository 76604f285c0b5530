// Events from journal records, without their details: live, and replayed from the journal.
import { type AuditEntry, limits, type News, type Principal } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import type { Store } from '@gatehouse/store'
import { lastIndexed } from '../ledger/line-index.ts'
import type { Found } from '../ledger/query.ts'
import { sees } from '../state/roles.ts'

/** Checkpoints are the journal's own affair. */
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
  /** What one answer looks through at most. */
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

/** Lines behind `after` up to and with `to`. */
interface Piece extends After, Bounds {
  readonly to: number
}

interface Looked {
  readonly items: News[]
  /** The last line that was looked at. */
  readonly upTo: number
}

/** Line by line. */
const walk = async ({ journal }: FeedDeps, principal: Principal, { after, to, limit, bytes }: Piece): Promise<Looked> => {
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

const ofGroups = `SELECT seq, file, start, length FROM lines WHERE agent_group_id IN (SELECT value FROM json_each(?))
  AND seq > ? AND seq <= ? AND stage <> 'checkpoint' ORDER BY seq LIMIT ?`

/** The first of them, and those that fit beside it. */
const within = (found: readonly Found[], bytes: number): readonly Found[] => {
  let size = 0
  return found.filter(({ length }, index) => (size += length) <= bytes || index === 0)
}

/** By the index, which must hold all of the piece. Where it is wrong about a place, line by line. */
const search = async (deps: FeedDeps, principal: Principal, piece: Piece): Promise<Looked> => {
  const { after, to, limit, bytes } = piece
  const found = await deps.store.read.all<Found>(ofGroups, [JSON.stringify(principal.groups), after, to, limit])
  const taken = within(found, bytes)
  const entries = await deps.journal.entriesAt(taken)
  if (entries.length !== taken.length) return walk(deps, principal, piece)
  const isWhole = found.length < limit && taken.length === found.length
  return { items: toEvents(entries), upTo: isWhole ? to : (taken.at(-1)?.seq ?? after) }
}

/** What came after a line, oldest first, as far as the principal may see it and one answer goes. */
export const readFeed = async (deps: FeedDeps, principal: Principal, { after, limit }: After): Promise<Looked & { head: number }> => {
  const { bounds = { lines: limits.newsLines, bytes: limits.newsBytes } } = deps
  const head = deps.journal.head().seq
  if (after >= head || limit <= 0) return { items: [], head, upTo: Math.min(after, head) }
  const from = Math.max(0, after)
  const piece = { ...bounds, after: from, limit, to: Math.min(head, from + bounds.lines) }
  const indexed = principal.groups === undefined ? 0 : Math.min(piece.to, await lastIndexed(deps.store.read))
  const looked = indexed > from ? await search(deps, principal, { ...piece, to: indexed }) : await walk(deps, principal, piece)
  return { ...looked, head }
}
