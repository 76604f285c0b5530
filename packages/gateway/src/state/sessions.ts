// Open sessions in memory, and the surfaces reported since the gateway started. External clients have one session for each
// client token, identified by its name and group.
import {
  clientRole,
  ConversationID,
  gatewayControlPlane,
  type Principal,
  ServiceError,
  Session,
  SessionID,
  type Surface,
} from '@gatehouse/contracts'
import type { Rows, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import type { Projection, Projections } from '../ledger/projection.ts'
import type { Subscribers } from './subscribers.ts'

export interface SessionRow {
  readonly number: number
  readonly id: string
  readonly agent_group_id: string
  readonly conversation_id: string
  readonly slot: number
  readonly opened_at: string
  /** The agent type of its group, which never changes; null if the group was removed. */
  readonly agent: string | null
}

interface SessionOptions {
  /** First host uid and gid for sandboxes; null if the unit does not run as root. */
  readonly identities: { readonly uid: number; readonly gid: number } | null
  /** The surfaces of a session with this agent type. */
  readonly expected: (agent: string | null) => readonly Surface[]
}

export interface OpenSessions {
  find(id: string): Session | undefined
  at(agentGroupID: string, conversationID: string): Session | undefined
  all(): Session[]
  /** Adds a session. If it is known, its reported surfaces are kept. */
  add(row: SessionRow): Session
  remove(session: Session): void
  /** Adds a removed session again, unless it has ended. */
  restore(session: Session): void
  /** Removes a session permanently, even if it is still open in the database. */
  end(session: Session): void
  hasEnded(id: string): boolean
  report(session: Session, surface: Surface): void
  load(rows: Rows): Promise<void>
}

export const columns = `number, id, agent_group_id, conversation_id, slot, opened_at,
  (SELECT json_extract(record, '$.agent') FROM groups WHERE groups.id = sessions.agent_group_id) AS agent`

const toSession = (row: SessionRow, { identities, expected }: SessionOptions): Session =>
  v.parse(Session, {
    id: row.id,
    agentGroupID: row.agent_group_id,
    conversationID: row.conversation_id,
    ...(identities === null ? {} : { identity: { uid: identities.uid + row.slot, gid: identities.gid + row.number } }),
    expected: expected(row.agent),
    reported: [],
    openedAt: row.opened_at,
    ...(row.agent === 'external' && { external: true }),
  })

/** Neither part can contain a space. */
const toKey = (agentGroupID: string, conversationID: string): string => `${agentGroupID} ${conversationID}`

export const createOpenSessions = (options: SessionOptions): OpenSessions => {
  const sessions = new Map<string, Session>()
  const places = new Map<string, string>()
  const ended = new Set<string>()
  const remove = ({ id, agentGroupID, conversationID }: Session): void => {
    sessions.delete(id)
    places.delete(toKey(agentGroupID, conversationID))
  }
  const keep = (session: Session): Session => {
    sessions.set(session.id, session)
    places.set(toKey(session.agentGroupID, session.conversationID), session.id)
    return session
  }
  const add = (row: SessionRow): Session => keep(sessions.get(row.id) ?? toSession(row, options))
  return {
    find: (id) => sessions.get(id),
    at: (agentGroupID, conversationID) => sessions.get(places.get(toKey(agentGroupID, conversationID)) ?? ''),
    all: () => [...sessions.values()],
    add,
    remove,
    restore: (session) => {
      if (!ended.has(session.id)) keep(session)
    },
    end: (session) => {
      ended.add(session.id)
      remove(session)
    },
    hasEnded: (id) => ended.has(id),
    report: (session, surface) => {
      sessions.set(session.id, { ...session, reported: [...new Set([...session.reported, surface])] })
    },
    load: async (rows) => {
      const found = await rows.all<SessionRow>(`SELECT ${columns} FROM sessions WHERE closed_at IS NULL ORDER BY number`)
      sessions.clear()
      places.clear()
      for (const row of found) if (!ended.has(row.id)) add(row)
    },
  }
}

export const unknownSession = (id: SessionID): ServiceError =>
  new ServiceError('not-found', { detail: `session ${id} not found`, hint: 'list the sessions' })

/** Finds an open session. Throws `not-found` if there is none. */
export const presentSession = (sessions: OpenSessions, id: SessionID): Session => {
  const session = sessions.find(id)
  if (session === undefined) throw unknownSession(id)
  return session
}

/** The last allowed tool call of each session. After it, the agent may have read untrusted tool output. */
export interface LastCalls {
  /** Records an allowed call. */
  note(session: string): void
  /** Whether tool output may have reached the session since a time. True if the gateway started after that time. */
  since(session: string, time: string | undefined): boolean
  forget(session: string): void
}

export const createLastCalls = (clock: () => number): LastCalls => {
  const startedAt = clock()
  const calls = new Map<string, number>()
  return {
    note: (session) => void calls.set(session, clock()),
    since: (session, time) => {
      const last = calls.get(session)
      if (time === undefined) return last !== undefined
      const from = Date.parse(time)
      return from < startedAt || (last !== undefined && last >= from)
    },
    forget: (session) => void calls.delete(session),
  }
}

const TerminateDetail = v.looseObject({ session: SessionID, reason: v.optional(v.string()) })

export const markClosed = async (tx: Transaction, id: string, at: string): Promise<void> => {
  await tx.run('UPDATE sessions SET closed_at = ? WHERE id = ? AND closed_at IS NULL', [at, id])
}

/** Records of this stage by the runner report what it did, and close nothing. */
const terminated: Projection = async (tx, entry) => {
  if (entry.edge !== gatewayControlPlane.caller) return
  await markClosed(tx, v.parse(TerminateDetail, entry.detail).session, entry.time)
}

export const sessionProjections: Projections = { terminate: terminated }

/** The group and conversation of a client's session. */
export const clientPlace = ({ name, groups = [] }: Pick<Principal, 'name' | 'groups'>) => {
  const [agentGroupID] = groups
  if (agentGroupID === undefined || groups.length > 1)
    throw new ServiceError('forbidden', { detail: `the token ${name} must have exactly one agent group` })
  return { agentGroupID, conversationID: v.parse(ConversationID, `mcp:${name}`), isExternal: true }
}

export interface EndClientDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: Pick<LastCalls, 'forget'>
  readonly subscribers: Subscribers
}

/** Ends the session of a client at once, including running calls. The record of the revocation closes it in the database. */
export const endClientSession = (
  { sessions, lastCalls, subscribers }: EndClientDeps,
  token: Pick<Principal, 'name' | 'groups' | 'role'>,
): void => {
  if (token.role !== clientRole) return
  const { agentGroupID, conversationID } = clientPlace(token)
  const session = sessions.at(agentGroupID, conversationID)
  if (session?.external !== true) return
  sessions.end(session)
  lastCalls.forget(session.id)
  subscribers.broker('session-closed', { session: session.id })
}
