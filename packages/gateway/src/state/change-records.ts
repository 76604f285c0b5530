// Journal records of changes. Each holds everything that its effect needs.
import { Change, Decision, Digest, Failure, Idempotency, PatchOperation, Risk, SessionID, Time } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import * as v from 'valibot'
import { Effect } from './effects.ts'

const Json = v.record(v.string(), v.unknown())

/** Identifies equivalent requests of agents: the object, and a digest of the rest without its terms. */
export const RequestKey = v.strictObject({ subject: v.string(), digest: Digest })
export type RequestKey = v.InferOutput<typeof RequestKey>

export const SubmitDetail = v.strictObject({ change: Change, idempotency: v.optional(Idempotency), wish: v.optional(RequestKey) })
export const RebasedDetail = v.strictObject({
  before: v.nullable(Json),
  diff: v.array(PatchOperation),
  summary: v.string(),
  evidence: v.nullable(Json),
  risk: Risk,
  digest: Digest,
})
/** An approval no longer counted when the change was to be applied, so it is held again. */
export const ReopenedDetail = v.strictObject({
  reopened: v.strictObject({ needed: v.number(), given: v.number(), lost: v.array(v.string()) }),
})
export const DecisionDetail = v.looseObject({
  decision: Decision,
  /** False if more approvals are needed, so the change stays held. */
  complete: v.optional(v.boolean(), true),
  /** Number of people who must approve. */
  needed: v.optional(v.number()),
  /** Number of people whose approval counts, including this one. */
  given: v.optional(v.number()),
})
/** A withdrawn or expired change. */
export const EndDetail = v.strictObject({ at: Time, reason: v.optional(v.string()) })
export const RetryDetail = v.strictObject({ digest: Digest })
export const ApplyDetail = v.strictObject({
  digest: Digest,
  at: v.string(),
  effect: Effect,
  /** Open sessions in which the effect is still pending. */
  sessions: v.optional(v.array(SessionID), []),
})
export const FailureDetail = v.strictObject({ digest: Digest, failure: Failure })

/** The principal that acts, and the edge of its request. `by` is a label chosen by the requester. */
export interface Actor {
  readonly edge: string
  readonly principal: string
  readonly by?: string | undefined
  /** The person behind the principal at the time of the request; absent if the principal is its own person. */
  readonly person?: string
  /** The channel user that acted, for a decision from a channel. */
  readonly via?: Decision['via']
}

/** The actor of the gateway's own acts. */
export const systemActor: Actor = { edge: 'gateway', principal: 'gateway' }

type Subject = Pick<Change, 'id' | 'kind' | 'agentGroupID'>

/** Builds a journal record about a change. */
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
