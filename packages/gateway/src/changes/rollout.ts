// Rollout status of applied changes in each open session, as reported by the runner.
import { type Change, type ChangeID, type ChangeView, Condition, type Kind, Reason, type SessionID } from '@gatehouse/contracts'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { parse } from '../input.ts'
import { kindTable } from '../kinds/index.ts'
import { findChange, type ReadDeps, unknownChange } from '../state/changes.ts'
import { type OpenSessions, presentSession } from '../state/sessions.ts'

/** The open sessions in which the change takes effect only after a relaunch. */
export const affectedSessions = (sessions: OpenSessions, { kind, agentGroupID }: { kind: Kind; agentGroupID: string }): SessionID[] =>
  kindTable[kind].needsRelaunch
    ? sessions
        .all()
        .filter((session) => session.agentGroupID === agentGroupID && session.external !== true)
        .map(({ id }) => id)
    : []

/** Marks the sessions as pending. A status that was already reported is kept. */
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

/** Leaves out the pending status of closed sessions, which will never change. */
const readRolloutStatus = async (rows: Rows, id: ChangeID): Promise<Condition[]> => {
  const records = await rows.all<{ record: string }>(
    `SELECT conditions.record FROM conditions LEFT JOIN sessions ON sessions.id = conditions.session
     WHERE change_id = ? AND (closed_at IS NULL OR json_extract(conditions.record, '$.status') <> 'pending') ORDER BY session`,
    [id],
  )
  return records.map(({ record }) => v.parse(Condition, JSON.parse(record)))
}

export interface RolloutDeps {
  readonly store: Store
  readonly sessions: OpenSessions
  readonly clock: () => number
}

export interface RolloutReport extends Omit<Condition, 'at' | 'reason'> {
  readonly changeID: ChangeID
  readonly reason?: string | undefined
}

/** Stores a reported status. Throws `not-found` for a change of another group. */
export const reportRollout = async (deps: RolloutDeps, { changeID, session, status, reason }: RolloutReport): Promise<void> => {
  const { agentGroupID } = presentSession(deps.sessions, session)
  const change = await findChange(deps.store.read, changeID)
  if (change?.agentGroupID !== agentGroupID || change.state !== 'applied') throw unknownChange(changeID)
  const reasonField = reason === undefined ? {} : { reason: parse(Reason, reason, '/reason') }
  const condition: Condition = { session, status, ...reasonField, at: new Date(deps.clock()).toISOString() }
  await deps.store.write((tx) =>
    tx.run(
      `INSERT INTO conditions (change_id, session, record) VALUES (?, ?, ?)
       ON CONFLICT (change_id, session) DO UPDATE SET record = excluded.record`,
      [changeID, session, JSON.stringify(condition)],
    ),
  )
}

/** The change with its rollout status in each session, for readers. */
export const viewChange = async ({ store }: ReadDeps, change: Change): Promise<ChangeView> => ({
  ...change,
  conditions: await readRolloutStatus(store.read, change.id),
})
