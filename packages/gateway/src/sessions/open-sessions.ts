// The open sessions in memory, with the surfaces that were reported since the gateway runs.
import { Session, type SessionID, type Surface } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'

export interface SessionRow {
  readonly number: number
  readonly id: string
  readonly agent_group_id: string
  readonly conversation_id: string
  readonly slot: number
  readonly opened_at: string
}

export interface SessionOptions {
  /** First host uid and gid for sandboxes; null where the unit is not root. */
  readonly identities: { readonly uid: number; readonly gid: number } | null
  readonly expected: readonly Surface[]
}

export interface OpenSessions {
  find(id: string): Session | undefined
  all(): Session[]
  /** Keeps what was reported if the session is known. */
  add(row: SessionRow): Session
  remove(id: string): void
  report(id: SessionID, surface: Surface): void
  load(rows: Rows): Promise<void>
}

export const columns = 'number, id, agent_group_id, conversation_id, slot, opened_at'

const toSession = (row: SessionRow, { identities, expected }: SessionOptions): Session =>
  v.parse(Session, {
    id: row.id,
    agentGroupID: row.agent_group_id,
    conversationID: row.conversation_id,
    ...(identities === null ? {} : { identity: { uid: identities.uid + row.slot, gid: identities.gid + row.number } }),
    expected,
    reported: [],
    openedAt: row.opened_at,
  })

export const createOpenSessions = (options: SessionOptions): OpenSessions => {
  let sessions = new Map<string, Session>()
  const add = (row: SessionRow): Session => {
    const session = sessions.get(row.id) ?? toSession(row, options)
    sessions.set(row.id, session)
    return session
  }
  return {
    find: (id) => sessions.get(id),
    all: () => [...sessions.values()],
    add,
    remove: (id) => void sessions.delete(id),
    report: (id, surface) => {
      const session = sessions.get(id)
      if (session !== undefined) sessions.set(id, { ...session, reported: [...new Set([...session.reported, surface])] })
    },
    load: async (rows) => {
      const found = await rows.all<SessionRow>(`SELECT ${columns} FROM sessions WHERE closed_at IS NULL ORDER BY number`)
      sessions = new Map()
      for (const row of found) add(row)
    },
  }
}
