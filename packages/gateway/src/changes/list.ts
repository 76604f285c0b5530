// Changes in pages: what waits, oldest first; what was, newest first. A page ends early rather than outgrow a frame.
import { type Change, ChangeID, type ChangeState, type Kind, type Principal } from '@gatehouse/contracts'
import type { Value } from '@gatehouse/store'
import { type Page, readCursor, takePage } from '../input/page.ts'
import { firstIdAt } from './id.ts'
import { type ChangeRow, type ReadDeps, toChange } from './read.ts'

export interface ChangePage {
  readonly items: Change[]
  readonly nextCursor?: string
}

export interface Search extends Page {
  readonly agentGroupID?: string | undefined
  readonly kind?: Kind | undefined
  readonly requestedBy?: string | undefined
  readonly principal?: string | undefined
  /** Of history alone. */
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

/** The id of a change is its time. */
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

/** @param principal what it does not see is not in the list */
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
