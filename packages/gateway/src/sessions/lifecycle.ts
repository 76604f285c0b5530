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

/** What a session may not use is not there. */
export const expectedSurfaces =
  ({ catalog, models }: Pick<GatewayBoot, 'catalog' | 'models'>) =>
  (agent: string | null): readonly Surface[] => [
    ...(catalog === null || agent === 'external' ? [] : (['tools'] as const)),
    ...(agent === 'model' && models.length > 0 ? (['model'] as const) : []),
  ]

/** As it is told to those who serve its sockets. */
export const withoutConversation = ({ id, agentGroupID, identity }: Session) => ({
  session: id,
  agentGroupID,
  ...(identity === undefined ? {} : { identity }),
})

/** Those whose surface is still to come are told to make it; to one that has it they are told nothing new. */
const tellOpened = (subscribers: Subscribers, session: Session): void => {
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
  /** Of a client outside of the unit. */
  readonly isExternal?: boolean
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
const idLength = 13

/** 65 random bits: 256 is a multiple of 32, so every letter is as likely. */
const makeID = (): string => `ses_${[...randomBytes(idLength)].map((byte) => alphabet.charAt(byte % 32)).join('')}`

const findOpen = (tx: Transaction, place: Place): Promise<SessionRow | undefined> =>
  tx.get<SessionRow>(`SELECT ${columns} FROM sessions WHERE agent_group_id = ? AND conversation_id = ? AND closed_at IS NULL`, [
    place.agentGroupID,
    place.conversationID,
  ])

/** One that was ended while the database could not be written is closed here. */
const findStanding = async (
  { sessions }: SessionDeps,
  tx: Transaction,
  { place, now }: { place: Place; now: string },
): Promise<SessionRow | undefined> => {
  const row = await findOpen(tx, place)
  if (row === undefined || !sessions.hasEnded(row.id)) return row
  await markClosed(tx, row.id, now)
  return undefined
}

/** The group's number for host uids, given once and for good. */
const slotOf = async (tx: Transaction, agentGroupID: string): Promise<number> => {
  await tx.run('INSERT INTO slots (agent_group_id) VALUES (?) ON CONFLICT (agent_group_id) DO NOTHING', [agentGroupID])
  const row = await tx.get<{ slot: number }>('SELECT slot FROM slots WHERE agent_group_id = ?', [agentGroupID])
  if (row === undefined) throw new TypeError('a slot that was inserted is found again')
  return row.slot
}

/** A sandbox is never opened for a client outside of the unit, and no client is let into the group of a sandbox. */
const assertAgent = async (tx: Transaction, { agentGroupID, isExternal = false }: Place): Promise<void> => {
  const group = await readGroup(tx, agentGroupID)
  if (group === undefined) throw new ServiceError('not-found', { detail: `there is no agent group ${agentGroupID}` })
  if ((group.agent === 'external') === isExternal) return
  if (isExternal) throw new ServiceError('forbidden', { detail: `the agent of ${agentGroupID} is in a sandbox: it takes no clients` })
  throw new ServiceError('conflict', {
    detail: `the agent of ${agentGroupID} runs outside of this unit: there is no sandbox and no chat for it`,
    hint: 'connect its program to the MCP endpoint, or choose another agent group',
  })
}

const insert = async (tx: Transaction, place: Place, openedAt: string): Promise<SessionRow> => {
  await tx.run('INSERT INTO sessions (id, agent_group_id, conversation_id, slot, opened_at) VALUES (?, ?, ?, ?, ?)', [
    makeID(),
    place.agentGroupID,
    place.conversationID,
    await slotOf(tx, place.agentGroupID),
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
  const { row, made } = await deps.store.write(async (tx) => {
    await assertAgent(tx, place)
    const open = await findStanding(deps, tx, { place, now })
    return open === undefined ? { row: await insert(tx, place, now), made: true } : { row: open, made: false }
  })
  const session = deps.sessions.add(row)
  if (made) tellOpened(deps.subscribers, session)
  return session
}

/** Ends a session: from now on nothing is allowed to it, and its sockets may go. */
export interface CloseDeps extends SessionDeps {
  readonly lastCalls: LastCalls
}

/** Forgotten before it is written, so that nobody is handed a session that ends; known again if that fails. */
export const closeSession = async ({ store, sessions, lastCalls, subscribers, clock }: CloseDeps, id: SessionID): Promise<void> => {
  const session = presentSession(sessions, id)
  sessions.remove(session)
  try {
    await store.write((tx) => markClosed(tx, id, new Date(clock()).toISOString()))
  } catch (error) {
    // A commit that failed may have happened all the same.
    const open = await store.read.get('SELECT id FROM sessions WHERE id = ? AND closed_at IS NULL', [id])
    if (open !== undefined) sessions.restore(session)
    throw error
  }
  lastCalls.forget(id)
  subscribers.broker('session-closed', { session: id })
  subscribers.modelProxy('session-closed', { session: id })
}

/** A session and the group that it belongs to, as they are now. A frozen group may have sessions: nothing is launched for them. */
const countApplied = `SELECT COUNT(*) AS applied FROM changes WHERE agent_group_id = ? AND state = 'applied'`

export const sessionAndGroup = async (
  { store, sessions, freezes, subscribers }: { store: Store; sessions: OpenSessions; freezes: Freezes; subscribers: Subscribers },
  id: SessionID,
): Promise<{ session: Session; group: AgentGroup; applied: number; frozen: boolean }> => {
  const session = presentSession(sessions, id)
  // First: what is applied in between is in the group, and a launch too many is better than one too few.
  const counted = await store.read.get<{ applied: number }>(countApplied, [session.agentGroupID])
  const group = await readGroup(store.read, session.agentGroupID)
  if (group === undefined) throw new ServiceError('not-found', { detail: `there is no agent group ${session.agentGroupID} any more` })
  // Asked before each launch: one that did not hear of it, or could not make its socket then, is told again.
  const present = sessions.find(id)
  if (present !== undefined) tellOpened(subscribers, present)
  return { session, group, applied: counted?.applied ?? 0, frozen: freezes.of(group.id) !== undefined }
}
