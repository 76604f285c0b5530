// Submits the missing steps, none twice: a change that is already pending is left to its approvers.
import type { Client } from '@gatehouse/client'
import { type Change, isServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { deepEqual, plainlySame } from './deep-equal.ts'
import type { Step } from './step.ts'

export const Outcome = v.strictObject({
  kind: v.string(),
  agentGroupID: v.string(),
  /** `held`: asked for before, or waits for somebody else; `applied`: asked for and approved in this run. */
  state: v.picklist(['submitted', 'held', 'waiting', 'applied']),
  changeID: v.optional(v.string()),
  /** What must be there first. */
  waitsFor: v.optional(v.string()),
})
export type Outcome = v.InferOutput<typeof Outcome>

export interface ExecutionContext {
  readonly client: Client
  readonly held: readonly Change[]
  readonly requestedBy: string
  readonly reason: string | undefined
  /** Label of whoever approves at once; undefined leaves it to others. */
  readonly approver: string | undefined
}

/**
 * What is held already, and whether it may be approved here. What somebody else asked for is approved only where all of it can be read;
 * what cannot be read whole is asked for again only where one approval is enough, for nobody gives the second to their own.
 */
const heldFor = ({ kind, group, after }: Step, { held, approver }: ExecutionContext): { change?: Change | undefined; legible: boolean } => {
  const alike = held.filter((change) => change.kind === kind && change.agentGroupID === group && deepEqual(after, change.after))
  const whole = alike.find((change) => plainlySame(after, change.after))
  if (whole !== undefined) return { change: whole, legible: true }
  return { change: approver === undefined ? alike[0] : alike.find(({ approvals }) => approvals.needed > 1), legible: false }
}

/** With these it waits for somebody else: it was asked for by this token, or has its approval. */
const forOthers = new Set(['self-approval', 'conflict'])

const approve = async (
  { id, digest }: Pick<Change, 'id' | 'digest'>,
  { client, approver = '' }: ExecutionContext,
): Promise<Outcome['state']> => {
  try {
    const { state } = await client.changes.decide(id, { outcome: 'approve', decidedBy: approver, digest })
    return state === 'applied' ? 'applied' : 'held'
  } catch (error) {
    if (isServiceError(error) && forOthers.has(error.code)) return 'held'
    throw error
  }
}

export const executeStep = async (step: Step, carrying: ExecutionContext): Promise<Outcome> => {
  const { client, requestedBy, reason, approver } = carrying
  const outcome = { kind: step.kind, agentGroupID: step.group }
  if (step.waitsFor !== undefined) return { ...outcome, state: 'waiting', waitsFor: step.waitsFor }
  const { change: held, legible } = heldFor(step, carrying)
  const body = { kind: step.kind, agentGroupID: step.group, after: step.after, requestedBy, ...(reason !== undefined && { reason }) }
  const { id, digest } = held ?? (await client.changes.submit(body))
  const mayApprove = approver !== undefined && (held === undefined || legible)
  const state = mayApprove ? await approve({ id, digest }, carrying) : held === undefined ? 'submitted' : 'held'
  return { ...outcome, state, changeID: id }
}
