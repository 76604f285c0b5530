// A change: what is asked for, what it would do, what was decided, what came of it.
import * as v from 'valibot'
import { AgentGroupID, ChangeID, Digest, Time } from './ids.ts'
import { Kind, Risk } from './kinds/kinds.ts'

export const changeStates = ['refused', 'held', 'rejected', 'approved', 'applied', 'apply_failed'] as const
export const ChangeState = v.picklist(changeStates)
export type ChangeState = v.InferOutput<typeof ChangeState>

const Json = v.record(v.string(), v.unknown())

/** RFC 6902. */
export const PatchOperation = v.strictObject({
  op: v.picklist(['add', 'remove', 'replace', 'move', 'copy', 'test']),
  path: v.string(),
  from: v.optional(v.string()),
  value: v.optional(v.unknown()),
})
export type PatchOperation = v.InferOutput<typeof PatchOperation>

export const Decision = v.strictObject({
  outcome: v.picklist(['approve', 'reject']),
  /** The label that the decider gave. */
  by: v.string(),
  /** Who proved itself. */
  principal: v.string(),
  reason: v.optional(v.string()),
  at: Time,
  digest: Digest,
})
export type Decision = v.InferOutput<typeof Decision>

export const Failure = v.strictObject({ rule: v.string(), reason: v.string() })
export type Failure = v.InferOutput<typeof Failure>

export const Change = v.strictObject({
  id: ChangeID,
  kind: Kind,
  agentGroupID: AgentGroupID,
  requestedBy: v.string(),
  principal: v.string(),
  reason: v.optional(v.string()),
  state: ChangeState,
  before: v.nullable(Json),
  after: Json,
  diff: v.array(PatchOperation),
  /** One sentence for a human. */
  summary: v.string(),
  evidence: v.nullable(Json),
  risk: Risk,
  digest: Digest,
  createdAt: Time,
  decisions: v.array(Decision),
  appliedAt: v.optional(Time),
  /** Why it was refused or why its apply failed. */
  failure: v.optional(Failure),
})
export type Change = v.InferOutput<typeof Change>

export const Requester = v.pipe(v.string(), v.minLength(1), v.maxLength(128))

export const Submission = v.strictObject({
  kind: v.string(),
  agentGroupID: v.string(),
  requestedBy: v.optional(Requester),
  after: v.unknown(),
  reason: v.optional(v.pipe(v.string(), v.maxLength(4096))),
})
export type Submission = v.InferOutput<typeof Submission>

export const Submitted = v.strictObject({ id: ChangeID, state: ChangeState, digest: Digest })
export type Submitted = v.InferOutput<typeof Submitted>

export const AuditEntry = v.strictObject({
  seq: v.number(),
  time: Time,
  stage: v.string(),
  edge: v.string(),
  principal: v.string(),
  by: v.optional(v.string()),
  changeID: v.optional(v.string()),
  kind: v.optional(v.string()),
  agentGroupID: v.optional(v.string()),
  detail: Json,
  prev: v.string(),
  hash: v.string(),
})
export type AuditEntry = v.InferOutput<typeof AuditEntry>
