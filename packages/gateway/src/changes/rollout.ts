// Rollout status of applied changes in each open session, as reported by the runner.
import { type Change, type ChangeID, type ChangeView, Condition, type Kind, Reason, type SessionID } from '@gatehouse/contracts'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { parse } from '../input.ts'
import { kindTable } from '../kinds/index.ts'
import { findChange, type ReadDeps, unknownChange } from '../state/changes.ts'
import { type OpenSessions, presentSession } from '../state/sessions.ts'

/** The sessions that have the effect of such a change only after their sandbox was launched again. */
export const affectedSessions = (sessions: OpenSessions, { kind, agentGroupID }: { kind: Kind; agentGroupID: string }): SessionID[] =>
  kindTable[kind].needsRelaunch
    ? sessions
        .all()
        .filter((session) => session.agentGroupID === agentGroupID && session.external !== true)
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
const readRolloutStatus = async (rows: Rows, id: ChangeID): Promise<Condition[]> => {
  const found = await rows.all<{ record: string }>(
    `SELECT conditions.record FROM conditions LEFT JOIN sessions ON sessions.id = conditions.session
     WHERE change_id = ? AND (closed_at IS NULL OR json_extract(conditions.record, '$.status') <> 'pending') ORDER BY session`,
    [id],
  )
  return found.map(({ record }) => v.parse(Condition, JSON.parse(record)))
}

export interface RolloutDeps {
  readonly store: Store
  readonly sessions: OpenSessions
  readonly clock: () => number
}

export interface Told extends Omit<Condition, 'at' | 'reason'> {
  readonly changeID: ChangeID
  readonly reason?: string | undefined
}

/** A change of another group is no change to this session. */
export const reportRollout = async (deps: RolloutDeps, { changeID, session, status, reason }: Told): Promise<void> => {
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

/** One change as a person looks at it: with how far it has come in each session. */
export const viewChange = async ({ store }: ReadDeps, change: Change): Promise<ChangeView> => ({
  ...change,
  conditions: await readRolloutStatus(store.read, change.id),
})
