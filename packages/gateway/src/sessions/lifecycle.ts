// Opens, reads and closes sessions, and tracks which surfaces they have.
import { randomBytes } from 'node:crypto'
import {
  type AgentGroup,
  type AgentGroupID,
  type ConversationID,
  type GatewayBoot,
  ServiceError,
  type Session,
  type SessionID,
  type Surface,
} from '@gatehouse/contracts'
import type { Store, Transaction } from '@gatehouse/store'
import type { Freezes } from '../state/freezes.ts'
import { columns, type LastCalls, markClosed, type OpenSessions, presentSession, type SessionRow } from '../state/sessions.ts'
import type { Subscribers } from '../state/subscribers.ts'
import { readGroup } from '../state/unit-config.ts'

/** The surfaces that a session needs. Surfaces that it may not use are not created. */
export const expectedSurfaces =
  ({ catalog, models }: Pick<GatewayBoot, 'catalog' | 'models'>) =>
  (agent: string | null): readonly Surface[] => [
    ...(catalog === null || agent === 'external' ? [] : (['tools'] as const)),
    ...(agent === 'model' && models.length > 0 ? (['model'] as const) : []),
  ]

/** The fields of a session for the processes that serve its sockets. */
export const withoutConversation = ({ id, agentGroupID, identity }: Session) => ({
  session: id,
  agentGroupID,
  ...(identity === undefined ? {} : { identity }),
})

/** Requests the surfaces that the session is still missing. */
const requestSurfaces = (subscribers: Subscribers, session: Session): void => {
  const opened = withoutConversation(session)
  const isMissing = (surface: Surface): boolean => session.expected.includes(surface) && !session.reported.includes(surface)
  if (isMissing('tools')) subscribers.broker('session-opened', opened)
  if (isMissing('model')) subscribers.modelProxy('session-opened', opened)
}

export const surfaceReady = (
  { sessions, subscribers }: { sessions: OpenSessions; subscribers: Subscribers },
  { session: id, surface }: { session: SessionID; surface: Surface },
): void => {
  sessions.report(presentSession(sessions, id), surface)
  subscribers.runner('surface-ready', { session: id })
}

export interface SessionDeps {
  readonly store: Store
  readonly sessions: OpenSessions
  readonly subscribers: Subscribers
  readonly clock: () => number
}

interface Place {
  readonly agentGroupID: AgentGroupID
  readonly conversationID: ConversationID
  /** Whether it is the session of an external client. */
  readonly isExternal?: boolean
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
const idLength = 13

/** 65 random bits. 256 is a multiple of 32, so every letter is equally likely. */
const makeID = (): string => `ses_${[...randomBytes(idLength)].map((byte) => alphabet.charAt(byte % 32)).join('')}`

const findOpen = (tx: Transaction, place: Place): Promise<SessionRow | undefined> =>
  tx.get<SessionRow>(`SELECT ${columns} FROM sessions WHERE agent_group_id = ? AND conversation_id = ? AND closed_at IS NULL`, [
    place.agentGroupID,
    place.conversationID,
  ])

/** The open session of a place. Closes one that was ended while the database could not be written. */
const findActive = async (
  { sessions }: SessionDeps,
  tx: Transaction,
  { place, now }: { place: Place; now: string },
): Promise<SessionRow | undefined> => {
  const row = await findOpen(tx, place)
  if (row === undefined || !sessions.hasEnded(row.id)) return row
  await markClosed(tx, row.id, now)
  return undefined
}

/** The group's number for host uids, assigned once and never reused. */
const assignSlot = async (tx: Transaction, agentGroupID: string): Promise<number> => {
  await tx.run('INSERT INTO slots (agent_group_id) VALUES (?) ON CONFLICT (agent_group_id) DO NOTHING', [agentGroupID])
  const row = await tx.get<{ slot: number }>('SELECT slot FROM slots WHERE agent_group_id = ?', [agentGroupID])
  if (row === undefined) throw new TypeError('a slot that was inserted is found again')
  return row.slot
}

/** External clients have sessions only in groups with an external agent, and sandboxes only in the others. */
const assertAgent = async (tx: Transaction, { agentGroupID, isExternal = false }: Place): Promise<void> => {
  const group = await readGroup(tx, agentGroupID)
  if (group === undefined) throw new ServiceError('not-found', { detail: `agent group ${agentGroupID} not found` })
  if ((group.agent === 'external') === isExternal) return
  if (isExternal)
    throw new ServiceError('forbidden', {
      detail: `the agent of ${agentGroupID} runs in a sandbox, so external clients cannot use its group`,
    })
  throw new ServiceError('conflict', {
    detail: `the agent of ${agentGroupID} is external, so it has no sandbox and no chat`,
    hint: 'connect its program to the MCP endpoint, or choose another agent group',
  })
}

const insert = async (tx: Transaction, place: Place, openedAt: string): Promise<SessionRow> => {
  await tx.run('INSERT INTO sessions (id, agent_group_id, conversation_id, slot, opened_at) VALUES (?, ?, ?, ?, ?)', [
    makeID(),
    place.agentGroupID,
    place.conversationID,
    await assignSlot(tx, place.agentGroupID),
    openedAt,
  ])
  const row = await findOpen(tx, place)
  if (row === undefined) throw new TypeError('a session that was inserted is found again')
  return row
}

export const openSession = async (deps: SessionDeps, place: Place): Promise<Session> => {
  const known = deps.sessions.at(place.agentGroupID, place.conversationID)
  if (known !== undefined && (known.external === true) === (place.isExternal === true)) return known
  const now = new Date(deps.clock()).toISOString()
  const { row, isNew } = await deps.store.write(async (tx) => {
    await assertAgent(tx, place)
    const open = await findActive(deps, tx, { place, now })
    return open === undefined ? { row: await insert(tx, place, now), isNew: true } : { row: open, isNew: false }
  })
  const session = deps.sessions.add(row)
  if (isNew) requestSurfaces(deps.subscribers, session)
  return session
}

export interface CloseDeps extends SessionDeps {
  readonly lastCalls: LastCalls
}

/** Closes a session. It is removed from memory first, so that nobody receives a closing session, and restored if the write fails. */
export const closeSession = async ({ store, sessions, lastCalls, subscribers, clock }: CloseDeps, id: SessionID): Promise<void> => {
  const session = presentSession(sessions, id)
  sessions.remove(session)
  try {
    await store.write((tx) => markClosed(tx, id, new Date(clock()).toISOString()))
  } catch (error) {
    // A transaction that was reported as failed may have been committed.
    const open = await store.read.get('SELECT id FROM sessions WHERE id = ? AND closed_at IS NULL', [id])
    if (open !== undefined) sessions.restore(session)
    throw error
  }
  lastCalls.forget(id)
  subscribers.broker('session-closed', { session: id })
  subscribers.modelProxy('session-closed', { session: id })
}

const countApplied = `SELECT COUNT(*) AS applied FROM changes WHERE agent_group_id = ? AND state = 'applied'`

/** Reads a session with its group before a launch. A frozen group may have sessions, but none is launched. */
export const sessionAndGroup = async (
  { store, sessions, freezes, subscribers }: { store: Store; sessions: OpenSessions; freezes: Freezes; subscribers: Subscribers },
  id: SessionID,
): Promise<{ session: Session; group: AgentGroup; applied: number; frozen: boolean }> => {
  const session = presentSession(sessions, id)
  // Counted first: a change applied in between is in the group, and an extra relaunch is better than a missing one.
  const counted = await store.read.get<{ applied: number }>(countApplied, [session.agentGroupID])
  const group = await readGroup(store.read, session.agentGroupID)
  if (group === undefined) throw new ServiceError('not-found', { detail: `agent group ${session.agentGroupID} no longer exists` })
  // Repeats the request before each launch, for processes that missed it or failed to create their socket.
  const present = sessions.find(id)
  if (present !== undefined) requestSurfaces(subscribers, present)
  return { session, group, applied: counted?.applied ?? 0, frozen: freezes.of(group.id) !== undefined }
}
