// Calls to submit, read and decide changes.
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

/** An idempotency key with its route and the digest of the request body. */
export const Idempotency = v.strictObject({ route: v.string(), key: v.string(), body: Digest })
export type Idempotency = v.InferOutput<typeof Idempotency>

/** `replayed`: the result of an earlier attempt with the same key. */
export const SubmitOutcome = v.strictObject({ ...Submitted.entries, replayed: v.boolean() })
export type SubmitOutcome = v.InferOutput<typeof SubmitOutcome>

const one = { ...presented, id: ChangeID }

export const changeCalls = {
  submit: call(v.strictObject({ ...presented, submission: Submission, idempotency: v.optional(Idempotency) }), SubmitOutcome, {
    ...reading,
    deadline: limits.submitTime,
  }),
  /** Evaluates a submission without storing it. */
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
  /** Withdraws a change. Only for its requester. */
  withdraw: call(v.strictObject({ ...one, by: v.optional(Requester), reason: v.optional(Reason) }), Change, reading),
  /** Applies an approved change whose apply failed. */
  retry: call(v.strictObject({ ...one, by: v.optional(Requester) }), Change, reading),
  /** Submits the inverse of an applied change. */
  revert: call(v.strictObject({ ...one, requestedBy: v.optional(Requester), reason: v.optional(Reason) }), Submitted, {
    ...reading,
    deadline: 15_000,
  }),
  pending: call(v.strictObject({ ...presented, ...page, ...ChangeFilter }), listOf(Change), reading),
  /** Number of pending changes. */
  heldCount: call(v.strictObject({ ...presented }), v.strictObject({ held: v.number() }), { patient: true }),
  history: call(v.strictObject({ ...presented, ...page, ...ChangeFilter, state: v.optional(ChangeState) }), listOf(Change), reading),
  change: call(v.strictObject(one), ChangeView, reading),
  /** The full evidence of a change, which may show it only by digest. */
  evidence: call(v.strictObject(one), v.strictObject({ evidence: v.nullable(JsonObject) }), reading),
  /** Effective access of the group, now and after the change. */
  reach: call(v.strictObject(one), Reach, reading),
}
