// A change: the request, its effect, the decisions and the outcome.
import * as v from 'valibot'
import { Channel } from './channel-table.ts'
import { AgentGroupID, ChangeID, Digest, SessionID, Time } from './ids.ts'
import { JsonObject } from './json.ts'
import { Kind, Risk } from './kinds/kinds.ts'
import { limits } from './limits.ts'

export const changeStates = ['refused', 'held', 'rejected', 'withdrawn', 'expired', 'approved', 'applied', 'apply_failed'] as const
export const ChangeState = v.picklist(changeStates)
export type ChangeState = v.InferOutput<typeof ChangeState>

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
  /** Label chosen by the decider. */
  by: v.string(),
  /** The authenticated principal. */
  principal: v.string(),
  /** The admin whose token created the principal's token; absent if the principal is its own person. */
  person: v.optional(v.string()),
  /** The channel user that decided, authenticated by the channel and one of the principal's identities. */
  via: v.optional(v.strictObject({ channel: Channel, user: v.string() })),
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
  /** The admin whose token created the principal's token; absent if the principal is its own person. */
  person: v.optional(v.string()),
  reason: v.optional(v.string()),
  state: ChangeState,
  before: v.nullable(JsonObject),
  after: JsonObject,
  diff: v.array(PatchOperation),
  /** One sentence on what the change does. */
  summary: v.string(),
  evidence: v.nullable(JsonObject),
  risk: Risk,
  digest: Digest,
  createdAt: Time,
  /** When a pending change expires. */
  expiresAt: v.optional(Time),
  /** Number of people who must approve, and who have approved the current digest. */
  approvals: v.optional(v.strictObject({ needed: v.number(), given: v.number() }), { needed: 1, given: 0 }),
  decisions: v.array(Decision),
  appliedAt: v.optional(Time),
  /** The reason why it was refused or why its apply failed. */
  failure: v.optional(Failure),
  /** Set if it was withdrawn or has expired. */
  ended: v.optional(v.strictObject({ by: v.string(), principal: v.string(), reason: v.optional(v.string()), at: Time })),
  /** The change whose inverse this is. */
  revertOf: v.optional(ChangeID),
  /** Whether the agent received tool output before the request in the same turn. */
  afterToolOutput: v.optional(v.boolean()),
})
export type Change = v.InferOutput<typeof Change>

/** Rollout status of an applied change in one session. */
export const Condition = v.strictObject({
  session: SessionID,
  status: v.picklist(['pending', 'ready', 'failed']),
  reason: v.optional(v.string()),
  at: Time,
})
export type Condition = v.InferOutput<typeof Condition>

export const ChangeView = v.strictObject({ ...Change.entries, conditions: v.array(Condition) })
export type ChangeView = v.InferOutput<typeof ChangeView>

export const Requester = v.pipe(v.string(), v.minLength(1), v.maxLength(limits.requester))
export const Reason = v.pipe(v.string(), v.maxLength(4096))

export const Submission = v.strictObject({
  kind: v.string(),
  agentGroupID: v.string(),
  requestedBy: v.optional(Requester),
  after: v.unknown(),
  reason: v.optional(Reason),
})
export type Submission = v.InferOutput<typeof Submission>

export const Submitted = v.strictObject({ id: ChangeID, state: ChangeState, digest: Digest })
export type Submitted = v.InferOutput<typeof Submitted>

/** The result of a dry run. */
export const Preview = v.strictObject({
  state: v.picklist(['held', 'refused']),
  before: v.nullable(JsonObject),
  diff: v.array(PatchOperation),
  summary: v.string(),
  evidence: v.nullable(JsonObject),
  risk: Risk,
  /** Absent if it could confirm a guess of a secret value. */
  digest: v.optional(Digest),
  failure: v.optional(Failure),
})
export type Preview = v.InferOutput<typeof Preview>

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
  detail: JsonObject,
  prev: v.string(),
  hash: v.string(),
})
export type AuditEntry = v.InferOutput<typeof AuditEntry>

/** The last record and the last signature, to be kept outside the unit. */
export const AuditHead = v.strictObject({
  seq: v.number(),
  hash: v.string(),
  checkpoint: v.nullable(v.strictObject({ seq: v.number(), hash: v.string(), epoch: v.number(), signature: v.string() })),
  /** PEM. */
  publicKey: v.string(),
})
export type AuditHead = v.InferOutput<typeof AuditHead>

/** Result of verifying the whole journal. `line` counts from 1 over all its files. */
export const AuditVerdict = v.variant('ok', [
  v.strictObject({ ok: v.literal(true), lines: v.number(), head: v.strictObject({ seq: v.number(), hash: v.string() }) }),
  v.strictObject({ ok: v.literal(false), line: v.number(), reason: v.string() }),
])
export type AuditVerdict = v.InferOutput<typeof AuditVerdict>

/** Rules of a failed apply that a retry cannot pass. */
const permanentRules: ReadonlySet<string> = new Set(['stale', 'expires-in-past', 'no-grant', 'not-in-grant', 'grant-covers-all'])

/** Whether a retry can succeed once the cause of the failure is fixed. */
export const isRetryable = ({ state, failure }: Pick<Change, 'state' | 'failure'>): boolean =>
  state === 'apply_failed' && !permanentRules.has(failure?.rule ?? '')

/** What the reader can do next, as a hint. */
export const nextStep = (change: Pick<Change, 'id' | 'state' | 'failure'>): string => {
  const { id, state } = change
  switch (state) {
    case 'held':
      return `decide it: svcctl change approve ${id} --by YOU, or svcctl change reject ${id} --by YOU`
    case 'approved':
      return `it is applied as soon as possible, or after a freeze is lifted; to stop it: svcctl change reject ${id} --by YOU`
    case 'apply_failed':
      return isRetryable(change)
        ? `fix the cause, then retry it: svcctl change retry ${id} --by YOU; or stop it: svcctl change reject ${id} --by YOU`
        : `it can no longer be applied as it was approved: svcctl change reject ${id} --by YOU, then submit a new change`
    case 'applied':
      return 'it is already applied: submit a change to the state that you want'
    case 'refused':
      return 'submit a new change that satisfies the rule'
    case 'rejected':
    case 'withdrawn':
    case 'expired':
      return 'submit a new change'
  }
}
