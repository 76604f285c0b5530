// Journal records of changes. Each holds everything that its effect needs.
import { Change, Decision, Digest, Failure, Idempotency, PatchOperation, Risk, SessionID, Time } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import * as v from 'valibot'
import { Effect } from './effects.ts'

const Json = v.record(v.string(), v.unknown())

/** What an agent asks for, by which it is known again: of what, and a digest of the rest without its terms. */
export const Wish = v.strictObject({ subject: v.string(), digest: Digest })
export type Wish = v.InferOutput<typeof Wish>

export const SubmitDetail = v.strictObject({ change: Change, idempotency: v.optional(Idempotency), wish: v.optional(Wish) })
export const RebasedDetail = v.strictObject({
  before: v.nullable(Json),
  diff: v.array(PatchOperation),
  summary: v.string(),
  evidence: v.nullable(Json),
  risk: Risk,
  digest: Digest,
})
/** An approval that no longer stands when the change would be applied: it is held again. */
export const ReopenedDetail = v.strictObject({
  reopened: v.strictObject({ needed: v.number(), given: v.number(), lost: v.array(v.string()) }),
})
export const DecisionDetail = v.looseObject({
  decision: Decision,
  /** An approval that others must join leaves the change held. */
  complete: v.optional(v.boolean(), true),
  /** People that must approve. */
  needed: v.optional(v.number()),
  /** People whose approval stands, with this one. */
  given: v.optional(v.number()),
})
/** Withdrawn, or expired. */
export const EndDetail = v.strictObject({ at: Time, reason: v.optional(v.string()) })
export const RetryDetail = v.strictObject({ digest: Digest })
export const ApplyDetail = v.strictObject({
  digest: Digest,
  at: v.string(),
  effect: Effect,
  /** Open sessions that the effect has yet to reach. */
  sessions: v.optional(v.array(SessionID), []),
})
export const FailureDetail = v.strictObject({ digest: Digest, failure: Failure })

/** Who acts, through which door. `by` is a label that the actor gave. */
export interface Actor {
  readonly edge: string
  readonly principal: string
  readonly by?: string | undefined
  /** The person behind the principal when the request came in; absent where the principal is its own person. */
  readonly person?: string
  /** The person of a channel by whom the principal is known there. */
  readonly via?: Decision['via']
}

/** The gateway's own acts. */
export const systemActor: Actor = { edge: 'gateway', principal: 'gateway' }

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
