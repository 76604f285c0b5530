// Reads and lists changes: the database, overlaid with rejections that are not on disk yet.
import { Change, ChangeID, type ChangeState, type Kind, type Principal, ServiceError } from '@gatehouse/contracts'
import type { Rows, Store, Value } from '@gatehouse/store'
import * as v from 'valibot'
import { type Page, readCursor, takePage } from '../input.ts'
import { firstIdAt } from './change-ids.ts'

export interface ReadDeps {
  readonly store: Store
  readonly overlay: Overlay
}

export interface ChangeRow {
  readonly record: string
}

export const toChange = (row: ChangeRow): Change => v.parse(Change, JSON.parse(row.record))

/** Reads a change from the database, without the overlay. */
export const findChange = async (rows: Rows, id: string): Promise<Change | undefined> => {
  const row = await rows.get<ChangeRow>('SELECT record FROM changes WHERE id = ?', [id])
  return row === undefined ? undefined : toChange(row)
}

export const unknownChange = (id: string): ServiceError =>
  new ServiceError('not-found', { detail: `change ${id} not found`, hint: 'list pending changes: svcctl change pending' })

export const readChange = async ({ store, overlay }: ReadDeps, id: string): Promise<Change> => {
  const change = await findChange(store.read, id)
  if (change === undefined) throw unknownChange(id)
  return overlay.over(change)
}

export interface ChangePage {
  readonly items: Change[]
  readonly nextCursor?: string
}

export interface Search extends Page {
  readonly agentGroupID?: string | undefined
  readonly kind?: Kind | undefined
  readonly requestedBy?: string | undefined
  readonly principal?: string | undefined
  /** Only for the history. */
  readonly state?: ChangeState | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

interface Condition {
  readonly sql: string
  readonly params: readonly Value[]
}

const lists = {
  pending: { state: `state = 'held'`, beyond: 'id > ?', order: 'id' },
  history: { state: `state <> 'held'`, beyond: 'id < ?', order: 'id DESC' },
} as const

export type ListName = keyof typeof lists

const equal = (column: string, value: string | undefined): Condition[] =>
  value === undefined ? [] : [{ sql: `${column} = ?`, params: [value] }]

/** Ids of changes are ordered by time. */
const span = ({ since, until }: Search): Condition[] => [
  ...(since === undefined ? [] : [{ sql: 'id >= ?', params: [firstIdAt(Date.parse(since))] }]),
  ...(until === undefined ? [] : [{ sql: 'id < ?', params: [firstIdAt(Date.parse(until))] }]),
]

const among = (groups: readonly string[] | undefined): Condition[] =>
  groups === undefined ? [] : [{ sql: `agent_group_id IN (${groups.map(() => '?').join(', ')})`, params: groups }]

const conditionsOf = (which: ListName, search: Search, groups: readonly string[] | undefined): Condition[] => [
  ...(which === 'history' && search.state !== undefined ? equal('state', search.state) : [{ sql: lists[which].state, params: [] }]),
  ...equal('agent_group_id', search.agentGroupID),
  ...equal('kind', search.kind),
  ...equal('requested_by', search.requestedBy),
  ...equal('principal', search.principal),
  ...span(search),
  ...among(groups),
]

/**
 * Lists a page of changes: pending ones oldest first, history newest first. A page may have fewer items than its limit, because
 * it must fit in a frame.
 * @param principal only changes that it may see are listed
 */
export const listChanges = async (
  { store, overlay }: ReadDeps,
  { which, principal }: { which: ListName; principal: Principal },
  search: Search,
): Promise<ChangePage> => {
  const { beyond, order } = lists[which]
  const cursor = search.cursor === undefined ? undefined : readCursor(ChangeID, search.cursor)
  const conditions = conditionsOf(which, search, principal.groups)
  const { items, more } = await takePage(search.limit, async (limit, last: Change | undefined) => {
    const from = last?.id ?? cursor
    const all = from === undefined ? conditions : [...conditions, { sql: beyond, params: [from] }]
    const sql = `SELECT record FROM changes WHERE ${all.map((condition) => condition.sql).join(' AND ')} ORDER BY ${order} LIMIT ?`
    const found = await store.read.all<ChangeRow>(sql, [...all.flatMap(({ params }) => params), limit])
    return found.map(toChange)
  })
  const last = items.at(-1)
  const shown = which === 'pending' ? items.map((change) => overlay.over(change)).filter(({ state }) => state === 'held') : items
  return { items: shown, ...(more && last !== undefined ? { nextCursor: last.id } : {}) }
}

interface IdRow {
  readonly id: string
}

/** Number of pending changes that a principal may see. */
export const countHeld = async ({ store, overlay }: ReadDeps, { groups }: Pick<Principal, 'groups'>): Promise<number> => {
  const held = `SELECT id FROM changes WHERE state = 'held'`
  const rows =
    groups === undefined
      ? await store.read.all<IdRow>(held, [])
      : await store.read.all<IdRow>(`${held} AND agent_group_id IN (SELECT value FROM json_each(?))`, [JSON.stringify(groups)])
  return rows.filter(({ id }) => !overlay.has(id)).length
}

/** States in which a change can still be stopped. */
const unapplied: ReadonlySet<ChangeState> = new Set(['held', 'approved', 'apply_failed'])

/** Whether the change has not taken effect and can still be stopped. */
export const isUnapplied = ({ state }: Pick<Change, 'state'>): boolean => unapplied.has(state)

/** Changes that were rejected while neither journal nor database could be written. It overrides the database until one can. */
export interface Overlay {
  /** Overrides a change until the database has its final state. */
  put(change: Change): void
  /** The current change for a change from the database. */
  over(stored: Change): Change
  /** Whether it was rejected but may still be pending in the database. */
  has(id: string): boolean
}

export const createOverlay = (): Overlay => {
  const changes = new Map<string, Change>()
  return {
    put: (change) => void changes.set(change.id, change),
    has: (id) => changes.has(id),
    over: (stored) => {
      if (isUnapplied(stored)) return changes.get(stored.id) ?? stored
      changes.delete(stored.id)
      return stored
    },
  }
}
