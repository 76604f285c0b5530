// What each line about a change does to the database. A line that comes again, or too late, does nothing.
import type { AuditEntry, Change, ChangeState } from '@gatehouse/contracts'
import type { Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import type { Projection, Projections } from '../ledger/projection.ts'
import { writeEffect } from '../registry/effect.ts'
import { ApplyDetail, DecisionDetail, FailureDetail, RebasedDetail, SubmitDetail } from './lines.ts'
import { findChange } from './read.ts'

const insert: Projection = async (tx, entry) => {
  const { change } = v.parse(SubmitDetail, entry.detail)
  await tx.run('INSERT INTO changes (id, agent_group_id, state, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING', [
    change.id,
    change.agentGroupID,
    change.state,
    JSON.stringify(change),
  ])
}

/** The change of the line, if it is still in the state that the line found. */
const changeIn = async (tx: Transaction, entry: AuditEntry, state: ChangeState): Promise<Change | undefined> => {
  const change = entry.changeID === undefined ? undefined : await findChange(tx, entry.changeID)
  return change?.state === state ? change : undefined
}

const save = async (tx: Transaction, change: Change): Promise<void> => {
  await tx.run('UPDATE changes SET state = ?, record = ? WHERE id = ?', [change.state, JSON.stringify(change), change.id])
}

const rebased: Projection = async (tx, entry) => {
  const change = await changeIn(tx, entry, 'held')
  if (change !== undefined) await save(tx, { ...change, ...v.parse(RebasedDetail, entry.detail) })
}

const decided =
  (state: 'approved' | 'rejected'): Projection =>
  async (tx, entry) => {
    const change = await changeIn(tx, entry, 'held')
    const { decision } = v.parse(DecisionDetail, entry.detail)
    if (change !== undefined) await save(tx, { ...change, state, decisions: [...change.decisions, decision] })
  }

const applied: Projection = async (tx, entry) => {
  const change = await changeIn(tx, entry, 'approved')
  const { at, effect } = v.parse(ApplyDetail, entry.detail)
  if (change === undefined) return
  await writeEffect(tx, effect)
  await save(tx, { ...change, state: 'applied', appliedAt: at })
}

const failed: Projection = async (tx, entry) => {
  const change = await changeIn(tx, entry, 'approved')
  const { failure } = v.parse(FailureDetail, entry.detail)
  if (change !== undefined) await save(tx, { ...change, state: 'apply_failed', failure })
}

export const changeProjections: Projections = {
  submit: insert,
  refuse: insert,
  rebased,
  approve: decided('approved'),
  reject: decided('rejected'),
  apply: applied,
  'apply-failed': failed,
}
