// Gives the open session of a group and a conversation, and opens it if there is none.
import { randomBytes } from 'node:crypto'
import { type AgentGroupID, type ConversationID, ServiceError, type Session } from '@gatehouse/contracts'
import type { Store, Transaction } from '@gatehouse/store'
import type { Audience } from '../events/audience.ts'
import { readGroup } from '../registry/world.ts'
import { markClosed } from './lines.ts'
import { columns, type OpenSessions, type SessionRow } from './open-sessions.ts'
import { tellOpened } from './surface.ts'

export interface SessionDeps {
  readonly store: Store
  readonly sessions: OpenSessions
  readonly audience: Audience
  readonly clock: () => number
}

interface Place {
  readonly agentGroupID: AgentGroupID
  readonly conversationID: ConversationID
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

const insert = async (tx: Transaction, place: Place, openedAt: string): Promise<SessionRow> => {
  if ((await readGroup(tx, place.agentGroupID)) === undefined) {
    throw new ServiceError('not-found', { detail: `there is no agent group ${place.agentGroupID}` })
  }
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
  if (known !== undefined) return known
  const now = new Date(deps.clock()).toISOString()
  const { row, made } = await deps.store.write(async (tx) => {
    const open = await findStanding(deps, tx, { place, now })
    return open === undefined ? { row: await insert(tx, place, now), made: true } : { row: open, made: false }
  })
  const session = deps.sessions.add(row)
  if (made) tellOpened(deps.audience, session)
  return session
}
