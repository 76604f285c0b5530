// Asks for what is missing, and for nothing twice: a change that is held already is left to those who decide.
import type { Client } from '@gatehouse/client'
import type { Change } from '@gatehouse/contracts'
import * as v from 'valibot'
import { plainlySame, same } from './same.ts'
import type { Step } from './step.ts'

export const Outcome = v.strictObject({
  kind: v.string(),
  agentGroupID: v.string(),
  /** `held`: asked for before; `applied`: asked for and approved in this run. */
  state: v.picklist(['submitted', 'held', 'waiting', 'applied']),
  changeID: v.optional(v.string()),
  /** What must be there first. */
  waitsFor: v.optional(v.string()),
})
export type Outcome = v.InferOutput<typeof Outcome>

export interface Carrying {
  readonly client: Client
  readonly held: readonly Change[]
  readonly requestedBy: string
  readonly reason: string | undefined
  /** Label of whoever approves at once; undefined leaves it to others. */
  readonly approver: string | undefined
}

/** What somebody else asked for is approved only where all of it can be read. */
const heldFor = ({ kind, group, after }: Step, { held, approver }: Carrying): Change | undefined => {
  const isWanted = approver === undefined ? same : plainlySame
  return held.find((change) => change.kind === kind && change.agentGroupID === group && isWanted(after, change.after))
}

export const carryOut = async (step: Step, carrying: Carrying): Promise<Outcome> => {
  const { client, requestedBy, reason, approver } = carrying
  const outcome = { kind: step.kind, agentGroupID: step.group }
  if (step.waitsFor !== undefined) return { ...outcome, state: 'waiting', waitsFor: step.waitsFor }
  const held = heldFor(step, carrying)
  const body = { kind: step.kind, agentGroupID: step.group, after: step.after, requestedBy, ...(reason !== undefined && { reason }) }
  const { id, digest } = held ?? (await client.changes.submit(body))
  if (approver === undefined) return { ...outcome, state: held === undefined ? 'submitted' : 'held', changeID: id }
  const { state } = await client.changes.decide(id, { outcome: 'approve', decidedBy: approver, digest })
  return { ...outcome, state: state === 'applied' ? 'applied' : 'held', changeID: id }
}
