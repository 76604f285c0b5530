// How far an applied change has come in each open session of its group: kept beside the change, told by the runner.
import { type ChangeID, Condition, type Kind, Reason, type SessionID } from '@gatehouse/contracts'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { parse } from '../input/parse.ts'
import { presentSession } from '../sessions/find.ts'
import type { OpenSessions } from '../sessions/open-sessions.ts'
import { findChange, unknownChange } from './read.ts'

/** Kinds whose effect a session has only after its sandbox was launched again. */
const felt: ReadonlySet<Kind> = new Set(['mcp_access', 'mcp_revoke', 'persona', 'tools', 'packages', 'permissions', 'mounts'])

/** The sessions that an effect of this kind has yet to reach. */
export const reached = (sessions: OpenSessions, { kind, agentGroupID }: { kind: Kind; agentGroupID: string }): SessionID[] =>
  felt.has(kind)
    ? sessions
        .all()
        .filter((session) => session.agentGroupID === agentGroupID)
        .map(({ id }) => id)
    : []

/** A session that has told more already keeps what it told. */
export const insertPending = async (
  tx: Transaction,
  { id, at }: { id: ChangeID; at: string },
  sessions: readonly SessionID[],
): Promise<void> => {
  for (const session of sessions) {
    const pending: Condition = { session, status: 'pending', at }
    await tx.run('INSERT INTO conditions (change_id, session, record) VALUES (?, ?, ?) ON CONFLICT (change_id, session) DO NOTHING', [
      id,
      session,
      JSON.stringify(pending),
    ])
  }
}

/** What was still to be done for a session that is closed will not be done. */
export const readConditions = async (rows: Rows, id: ChangeID): Promise<Condition[]> => {
  const found = await rows.all<{ record: string }>(
    `SELECT conditions.record FROM conditions LEFT JOIN sessions ON sessions.id = conditions.session
     WHERE change_id = ? AND (closed_at IS NULL OR json_extract(conditions.record, '$.status') <> 'pending') ORDER BY session`,
    [id],
  )
  return found.map(({ record }) => v.parse(Condition, JSON.parse(record)))
}

export interface ConditionDeps {
  readonly store: Store
  readonly sessions: OpenSessions
  readonly clock: () => number
}

export interface Told extends Omit<Condition, 'at' | 'reason'> {
  readonly changeID: ChangeID
  readonly reason?: string | undefined
}

/** A change of another group is no change to this session. */
export const tellCondition = async (deps: ConditionDeps, { changeID, session, status, reason }: Told): Promise<void> => {
  const { agentGroupID } = presentSession(deps.sessions, session)
  const change = await findChange(deps.store.read, changeID)
  if (change?.agentGroupID !== agentGroupID || change.state !== 'applied') throw unknownChange(changeID)
  const why = reason === undefined ? {} : { reason: parse(Reason, reason, '/reason') }
  const condition: Condition = { session, status, ...why, at: new Date(deps.clock()).toISOString() }
  await deps.store.write((tx) =>
    tx.run(
      `INSERT INTO conditions (change_id, session, record) VALUES (?, ?, ?)
       ON CONFLICT (change_id, session) DO UPDATE SET record = excluded.record`,
      [changeID, session, JSON.stringify(condition)],
    ),
  )
}
