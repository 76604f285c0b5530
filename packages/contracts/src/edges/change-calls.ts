// Changes: asked for, shown, decided.
import * as v from 'valibot'
import { Change, ChangeState, ChangeView, Preview, Reason, Requester, Submission, Submitted } from '../change.ts'
import { call, keeping, listOf, ofGroup, page, presented, reading, span } from '../edge.ts'
import { ChangeID, Digest } from '../ids.ts'
import { JsonObject } from '../json.ts'
import { Kind } from '../kinds/kinds.ts'
import { limits } from '../limits.ts'
import { Reach } from '../reach.ts'

const ChangeFilter = {
  ...ofGroup,
  ...span,
  kind: v.optional(Kind),
  requestedBy: v.optional(Requester),
  principal: v.optional(v.string()),
}

/** The client's name for one attempt, the route that it was made at, and the digest of the body that came with it. */
export const Idempotency = v.strictObject({ route: v.string(), key: v.string(), body: Digest })
export type Idempotency = v.InferOutput<typeof Idempotency>

/** `replayed`: nothing was done, this is what the first attempt led to. */
export const SubmitOutcome = v.strictObject({ ...Submitted.entries, replayed: v.boolean() })
export type SubmitOutcome = v.InferOutput<typeof SubmitOutcome>

const one = { ...presented, id: ChangeID }

export const changeCalls = {
  submit: call(v.strictObject({ ...presented, submission: Submission, idempotency: v.optional(Idempotency) }), SubmitOutcome, {
    ...reading,
    deadline: limits.submitTime,
  }),
  /** The verdict over a submission, without keeping it. */
  preview: call(v.strictObject({ ...presented, submission: Submission }), Preview, { ...reading, deadline: limits.submitTime }),
  decide: call(
    v.strictObject({
      ...one,
      outcome: v.picklist(['approve', 'reject']),
      decidedBy: Requester,
      reason: v.optional(v.string()),
      digest: v.optional(Digest),
    }),
    v.strictObject({ ...Change.entries, ...keeping }),
    reading,
  ),
  /** By the principal that submitted it. */
  withdraw: call(v.strictObject({ ...one, by: v.optional(Requester), reason: v.optional(Reason) }), Change, reading),
  /** Applies what was approved and could not be applied. */
  retry: call(v.strictObject({ ...one, by: v.optional(Requester) }), Change, reading),
  /** Submits the inverse as a held change. */
  revert: call(v.strictObject({ ...one, requestedBy: v.optional(Requester), reason: v.optional(Reason) }), Submitted, {
    ...reading,
    deadline: 15_000,
  }),
  pending: call(v.strictObject({ ...presented, ...page, ...ChangeFilter }), listOf(Change), reading),
  /** How many wait for a decision. */
  heldCount: call(v.strictObject({ ...presented }), v.strictObject({ held: v.number() }), { patient: true }),
  history: call(v.strictObject({ ...presented, ...page, ...ChangeFilter, state: v.optional(ChangeState) }), listOf(Change), reading),
  change: call(v.strictObject(one), ChangeView, reading),
  /** The whole of what the change shows by its digest alone. */
  evidence: call(v.strictObject(one), v.strictObject({ evidence: v.nullable(JsonObject) }), reading),
  /** What the group of the change can do, and could do then. */
  reach: call(v.strictObject(one), Reach, reading),
}
