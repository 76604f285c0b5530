// Open sessions in memory, and the surfaces reported since the gateway started.
import { gatewayControlPlane, ServiceError, Session, SessionID, type Surface } from '@gatehouse/contracts'
import type { Rows, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import type { Projection, Projections } from '../ledger/projection.ts'

export interface SessionRow {
  readonly number: number
  readonly id: string
  readonly agent_group_id: string
  readonly conversation_id: string
  readonly slot: number
  readonly opened_at: string
  /** The kind of agent of its group, for good; null where the group is gone. */
  readonly agent: string | null
}

export interface SessionOptions {
  /** First host uid and gid for sandboxes; null where the unit is not root. */
  readonly identities: { readonly uid: number; readonly gid: number } | null
  /** The surfaces that a session of such an agent is launched with. */
  readonly expected: (agent: string | null) => readonly Surface[]
}

export interface OpenSessions {
  find(id: string): Session | undefined
  at(agentGroupID: string, conversationID: string): Session | undefined
  all(): Session[]
  /** Keeps what was reported if the session is known. */
  add(row: SessionRow): Session
  remove(session: Session): void
  /** As it was before it was removed. */
  restore(session: Session): void
  /** Removes it for good: whatever the database says, it is not known again. */
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

/** Neither part can hold a space. */
const placeOf = (agentGroupID: string, conversationID: string): string => `${agentGroupID} ${conversationID}`

export const createOpenSessions = (options: SessionOptions): OpenSessions => {
  const sessions = new Map<string, Session>()
  const places = new Map<string, string>()
  const ended = new Set<string>()
  const remove = ({ id, agentGroupID, conversationID }: Session): void => {
    sessions.delete(id)
    places.delete(placeOf(agentGroupID, conversationID))
  }
  const keep = (session: Session): Session => {
    sessions.set(session.id, session)
    places.set(placeOf(session.agentGroupID, session.conversationID), session.id)
    return session
  }
  const add = (row: SessionRow): Session => keep(sessions.get(row.id) ?? toSession(row, options))
  return {
    find: (id) => sessions.get(id),
    at: (agentGroupID, conversationID) => sessions.get(places.get(placeOf(agentGroupID, conversationID)) ?? ''),
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

/** An open session, or the error that there is none. */
export const unknownSession = (id: SessionID): ServiceError =>
  new ServiceError('not-found', { detail: `there is no open session ${id}`, hint: 'list the sessions' })

export const presentSession = (sessions: OpenSessions, id: SessionID): Session => {
  const session = sessions.find(id)
  if (session === undefined) throw unknownSession(id)
  return session
}

/** When each session was last allowed a tool: from then on its agent may have read what a stranger wrote. */
export interface LastCalls {
  /** A call of this session was allowed just now. */
  note(session: string): void
  /** Whether output of a tool may have reached the session since then; it may have where nobody was there to know. */
  since(session: string, time: string | undefined): boolean
  forget(session: string): void
}

export const createLastCalls = (clock: () => number): LastCalls => {
  const born = clock()
  const calls = new Map<string, number>()
  return {
    note: (session) => void calls.set(session, clock()),
    since: (session, time) => {
      const last = calls.get(session)
      if (time === undefined) return last !== undefined
      const from = Date.parse(time)
      return from < born || (last !== undefined && last >= from)
    },
    forget: (session) => void calls.delete(session),
  }
}

/** What the journal says of sessions that people end, and what such a line does to the database. */
const TerminateDetail = v.looseObject({ session: SessionID, reason: v.optional(v.string()) })

export const markClosed = async (tx: Transaction, id: string, at: string): Promise<void> => {
  await tx.run('UPDATE sessions SET closed_at = ? WHERE id = ? AND closed_at IS NULL', [at, id])
}

/** The runner writes lines of this stage too: they say what it did, and close nothing. */
const terminated: Projection = async (tx, entry) => {
  if (entry.edge !== gatewayControlPlane.caller) return
  await markClosed(tx, v.parse(TerminateDetail, entry.detail).session, entry.time)
}

export const sessionProjections: Projections = { terminate: terminated }
