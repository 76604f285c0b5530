// Projections of journal records about changes. A record that arrives twice or too late has no effect.
import type { AuditEntry, Change, ChangeState } from '@gatehouse/contracts'
import type { Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { storeWrite } from '../catalog/settle.ts'
import type { JointProjection, Projection, Projections } from '../ledger/projection.ts'
import {
  ApplyDetail,
  DecisionDetail,
  EndDetail,
  FailureDetail,
  RebasedDetail,
  ReopenedDetail,
  RetryDetail,
  SubmitDetail,
} from '../state/change-records.ts'
import { findChange, isUnapplied } from '../state/changes.ts'
import { writeEffect } from '../state/effects.ts'
import { includes, rejectedBy, withApproval, withoutFailure } from './approvals.ts'
import { storeKey } from './idempotency.ts'
import { insertPending } from './rollout.ts'

/** The columns that follow the record. */
const toColumns = (change: Change) => ({
  state: change.state,
  record: JSON.stringify(change),
  expires_at: change.expiresAt ?? null,
  decided_at: change.decisions.at(-1)?.at ?? null,
  rule: change.failure?.rule ?? null,
  definitions: typeof change.evidence?.['definitions'] === 'string' ? change.evidence['definitions'] : null,
})

const toRow = ({ change, wish }: v.InferOutput<typeof SubmitDetail>) => ({
  id: change.id,
  agent_group_id: change.agentGroupID,
  kind: change.kind,
  principal: change.principal,
  requested_by: change.requestedBy,
  subject: wish?.subject ?? '',
  wish: wish?.digest ?? '',
  ...toColumns(change),
})

const inserted: JointProjection = {
  together: async (tx, entries) => {
    const details = entries.map(({ detail }) => v.parse(SubmitDetail, detail))
    const rows = details.map(toRow)
    const columns = Object.keys(rows[0] ?? {})
    const values = columns.map((column) => `value ->> '${column}'`)
    await tx.run(
      `INSERT INTO changes (${columns.join(', ')}) SELECT ${values.join(', ')} FROM json_each(?) WHERE true ON CONFLICT (id) DO NOTHING`,
      [JSON.stringify(rows)],
    )
    for (const { change, idempotency } of details) if (idempotency !== undefined) await storeKey(tx, change, idempotency)
  },
}

const findChangeOf = async (tx: Transaction, { changeID }: AuditEntry): Promise<Change | undefined> =>
  changeID === undefined ? undefined : findChange(tx, changeID)

/** The change of the record, if it is still in the state that the record applies to. */
const findChangeIn = async (tx: Transaction, entry: AuditEntry, state: ChangeState): Promise<Change | undefined> => {
  const change = await findChangeOf(tx, entry)
  return change?.state === state ? change : undefined
}

/** The change of the record, if it is neither applied nor ended. */
const findUnapplied = async (tx: Transaction, entry: AuditEntry): Promise<Change | undefined> => {
  const change = await findChangeOf(tx, entry)
  return change !== undefined && isUnapplied(change) ? change : undefined
}

const save = async (tx: Transaction, change: Change): Promise<void> => {
  const row = toColumns(change)
  const columns = Object.keys(row).map((column) => `${column} = ?`)
  await tx.run(`UPDATE changes SET ${columns.join(', ')} WHERE id = ?`, [...Object.values(row), change.id])
}

/** Approved, but an approval no longer counts and too few are left. */
const reopened: Projection = async (tx, entry) => {
  const change = await findChangeIn(tx, entry, 'approved')
  const { needed, given } = v.parse(ReopenedDetail, entry.detail).reopened
  if (change !== undefined) await save(tx, { ...change, state: 'held', approvals: { needed, given } })
}

const rebased: Projection = async (tx, entry) => {
  if ('reopened' in entry.detail) return reopened(tx, entry)
  const change = await findChangeIn(tx, entry, 'held')
  if (change !== undefined) await save(tx, withApproval({ ...change, ...v.parse(RebasedDetail, entry.detail) }))
}

const approved: Projection = async (tx, entry) => {
  const change = await findChangeIn(tx, entry, 'held')
  const { decision, complete, needed, given } = v.parse(DecisionDetail, entry.detail)
  if (change === undefined || includes(change, decision)) return
  await save(
    tx,
    withApproval({ ...change, state: complete ? 'approved' : 'held', decisions: [...change.decisions, decision] }, { needed, given }),
  )
}

const rejected: Projection = async (tx, entry) => {
  const change = await findUnapplied(tx, entry)
  const { decision } = v.parse(DecisionDetail, entry.detail)
  if (change !== undefined) await save(tx, rejectedBy(change, decision))
}

const ended =
  (state: 'withdrawn' | 'expired'): Projection =>
  async (tx, entry) => {
    const change = await (state === 'expired' ? findChangeIn(tx, entry, 'held') : findUnapplied(tx, entry))
    const { at, reason } = v.parse(EndDetail, entry.detail)
    const { principal, by = principal } = entry
    if (change !== undefined)
      await save(tx, { ...withoutFailure(change), state, ended: { by, principal, ...(reason === undefined ? {} : { reason }), at } })
  }

const applied: Projection = async (tx, entry) => {
  const change = await findChangeIn(tx, entry, 'approved')
  const { at, effect, sessions } = v.parse(ApplyDetail, entry.detail)
  if (change === undefined) return
  await writeEffect(tx, effect)
  if (effect.type === 'entry' && effect.entry !== undefined)
    await storeWrite(tx, entry.seq, { name: effect.name, entry: effect.entry, done: false })
  await insertPending(tx, { id: change.id, at }, sessions)
  await save(tx, { ...change, state: 'applied', appliedAt: at })
}

const failed: Projection = async (tx, entry) => {
  const change = await findChangeIn(tx, entry, 'approved')
  const { failure } = v.parse(FailureDetail, entry.detail)
  if (change !== undefined) await save(tx, { ...change, state: 'apply_failed', failure })
}

const retried: Projection = async (tx, entry) => {
  const change = await findChangeIn(tx, entry, 'apply_failed')
  v.parse(RetryDetail, entry.detail)
  if (change === undefined) return
  const { failure: _failure, ...rest } = change
  await save(tx, { ...rest, state: 'approved' })
}

export const changeProjections: Projections = {
  submit: inserted,
  refuse: inserted,
  rebased,
  approve: approved,
  reject: rejected,
  withdraw: ended('withdrawn'),
  expire: ended('expired'),
  apply: applied,
  'apply-failed': failed,
  retry: retried,
}
