// The open sessions in memory, with the surfaces that were reported since the gateway runs.
import { Session, type Surface } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'

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
