// What the journal says of a change: each line carries all that its effect needs.
import { Change, Decision, Digest, Failure, PatchOperation, Risk } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import * as v from 'valibot'
import { Effect } from '../registry/effect.ts'

const Json = v.record(v.string(), v.unknown())

export const SubmitDetail = v.strictObject({ change: Change })
export const RebasedDetail = v.strictObject({
  before: v.nullable(Json),
  diff: v.array(PatchOperation),
  summary: v.string(),
  evidence: v.nullable(Json),
  risk: Risk,
  digest: Digest,
})
export const DecisionDetail = v.strictObject({ decision: Decision })
export const ApplyDetail = v.strictObject({ digest: Digest, at: v.string(), effect: Effect })
export const FailureDetail = v.strictObject({ digest: Digest, failure: Failure })

/** Who acts, through which door. `by` is a label that the actor gave. */
export interface Actor {
  readonly edge: string
  readonly principal: string
  readonly by?: string | undefined
}

/** The gateway's own acts. */
export const itself: Actor = { edge: 'gateway', principal: 'gateway' }

type Subject = Pick<Change, 'id' | 'kind' | 'agentGroupID'>

export const changeLine = (
  stage: JournalInput['stage'],
  { actor, change }: { actor: Actor; change: Subject },
  detail: Record<string, unknown>,
): JournalInput => ({
  stage,
  edge: actor.edge,
  principal: actor.principal,
  by: actor.by,
  changeID: change.id,
  kind: change.kind,
  agentGroupID: change.agentGroupID,
  detail,
})
