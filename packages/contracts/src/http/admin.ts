// Request and response bodies of the admin API.
import * as v from 'valibot'
import { CatalogEntry } from '../catalog.ts'
import { AuditEntry, Change, ChangeState, Reason, Requester, Submission } from '../change.ts'
import { ProcessState } from '../edges/life.ts'
import { ModelCallPage, ModelSpending, ProviderView } from '../edges/model-proxy-control-plane.ts'
import { GrantRef } from '../edges/registry-calls.ts'
import { ChatMessage, SandboxPosture, SessionStatus } from '../edges/runner-control-plane.ts'
import { AgentGroupID, ChangeID, ConversationID, Digest, MessageID, ServerName, SessionID, Time } from '../ids.ts'
import { JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { Freeze, Role, Token } from '../people.ts'
import { AgentGroup, GrantView, ServerState, Wired } from '../registry.ts'
import { CallRecord } from '../sandbox/tools.ts'

const listOf = /* @__NO_SIDE_EFFECTS__ */ <S extends v.GenericSchema>(item: S) =>
  v.strictObject({ items: v.array(item), nextCursor: v.optional(v.string()) })

/** Header with `false` if an act that removes access took effect but is not on disk yet, so it is lost when the gateway stops. */
export const keptHeader = 'Gatehouse-Kept'

/** RFC 9457 problem document with the fields of the error table. */
export const Problem = v.looseObject({
  type: v.string(),
  title: v.string(),
  status: v.number(),
  detail: v.string(),
  code: v.string(),
  hint: v.optional(v.string()),
  requestId: v.string(),
  errors: v.optional(v.array(v.strictObject({ pointer: v.string(), detail: v.string() }))),
})
export type Problem = v.InferOutput<typeof Problem>

export const SubmitBody = v.strictObject({
  ...Submission.entries,
  /** Returns the result without submitting. */
  dryRun: v.optional(v.boolean()),
})
export const SubmitAnswer = v.strictObject({ id: ChangeID, state: ChangeState, digest: Digest })
export type SubmitAnswer = v.InferOutput<typeof SubmitAnswer>

export const DecisionBody = v.strictObject({
  outcome: v.picklist(['approve', 'reject']),
  decidedBy: Requester,
  reason: v.optional(Reason),
  digest: v.optional(Digest),
})
export type DecisionBody = v.InferOutput<typeof DecisionBody>

export const WithdrawBody = v.strictObject({ by: v.optional(Requester), reason: v.optional(Reason) })
export const RetryBody = v.strictObject({ by: v.optional(Requester) })
export const RevertBody = v.strictObject({ requestedBy: v.optional(Requester), reason: v.optional(Reason) })
export const TerminateBody = v.strictObject({ reason: v.optional(Reason) })
export const FreezeBody = v.strictObject({
  /** Absent for the whole unit. */
  agentGroupID: v.optional(AgentGroupID),
  reason: v.pipe(Reason, v.minLength(1, 'a reason is required')),
})
export type FreezeBody = v.InferOutput<typeof FreezeBody>

export const ChangeList = listOf(Change)
export type ChangeList = v.InferOutput<typeof ChangeList>
export const AuditList = listOf(AuditEntry)
export type AuditList = v.InferOutput<typeof AuditList>
export const CallList = listOf(CallRecord)
export type CallList = v.InferOutput<typeof CallList>
export const GroupList = listOf(AgentGroup)
export type GroupList = v.InferOutput<typeof GroupList>
export const GrantList = listOf(GrantView)
export type GrantList = v.InferOutput<typeof GrantList>
export const WiringList = listOf(Wired)
export type WiringList = v.InferOutput<typeof WiringList>
export const TokenList = listOf(Token)
export type TokenList = v.InferOutput<typeof TokenList>
export const FreezeList = listOf(Freeze)
export type FreezeList = v.InferOutput<typeof FreezeList>
export const SessionList = listOf(SessionStatus)
export type SessionList = v.InferOutput<typeof SessionList>

/** The full evidence of a change, which shows evidence above `limits.evidence` only by digest. */
export const WholeEvidence = v.strictObject({ evidence: v.nullable(JsonObject) })
export type WholeEvidence = v.InferOutput<typeof WholeEvidence>

/** Model providers of the unit, and the tokens that groups used since midnight UTC. */
export const ModelList = v.strictObject({ items: v.array(ProviderView), spending: v.array(ModelSpending) })
export type ModelList = v.InferOutput<typeof ModelList>
export const ModelCallList = ModelCallPage
export type ModelCallList = v.InferOutput<typeof ModelCallList>

/** The sender only learns that the webhook was accepted. */
export const WebhookAccepted = v.strictObject({ status: v.literal('accepted') })
export type WebhookAccepted = v.InferOutput<typeof WebhookAccepted>

export const ChatSendBody = v.strictObject({
  agentGroupID: AgentGroupID,
  text: v.pipe(v.string(), v.minLength(1), v.maxBytes(limits.messageText, 'expected at most 256 KiB')),
  conversationId: v.optional(ConversationID),
})
export const ChatSendAnswer = v.strictObject({ conversationId: ConversationID, messageId: MessageID, sessionId: SessionID })
export type ChatSendAnswer = v.InferOutput<typeof ChatSendAnswer>
export const ChatMessages = v.strictObject({ messages: v.array(ChatMessage) })
export type ChatMessages = v.InferOutput<typeof ChatMessages>

/** `tag` is the entity tag of the entry including its values. */
export const ServerView = v.strictObject({
  name: ServerName,
  entry: CatalogEntry,
  digest: Digest,
  tag: Digest,
  state: v.optional(ServerState),
})
export type ServerView = v.InferOutput<typeof ServerView>
export const ServerList = v.strictObject({ items: v.array(ServerView) })
export type ServerList = v.InferOutput<typeof ServerList>
export const PutServerAnswer = v.strictObject({ ...ServerView.entries, grants: v.array(GrantRef) })
export type PutServerAnswer = v.InferOutput<typeof PutServerAnswer>

export const Ready = v.strictObject({
  status: v.picklist(['ready', 'not-ready']),
  sandbox: v.string(),
  degraded: v.optional(v.array(v.string())),
})
export type Ready = v.InferOutput<typeof Ready>

/** Identifies the unit. A copy of the state directory has the same installation but another directory. */
export const UnitIdentity = v.strictObject({
  installation: v.string(),
  /** The state directory of the unit, with its device and inode number. */
  stateDir: v.string(),
  device: v.string(),
  inode: v.string(),
})
export type UnitIdentity = v.InferOutput<typeof UnitIdentity>

export const Status = v.strictObject({
  version: v.string(),
  /** Absent for a token that is limited to groups, and while the directory is not accessible. */
  identity: v.optional(UnitIdentity),
  mode: v.picklist(['production', 'demo', 'dev']),
  /** Whether the unit needs no token. */
  open: v.boolean(),
  /** The principal of the request. */
  principal: v.strictObject({
    name: v.string(),
    role: Role,
    /** The admin whose token created this one; absent if the principal is its own person. */
    person: v.optional(v.string()),
    groups: v.optional(v.array(AgentGroupID)),
  }),
  startedAt: v.string(),
  mcp: v.strictObject({
    enabled: v.boolean(),
    isolation: v.optional(v.string()),
    pinning: v.optional(v.string()),
    endpoint: v.optional(v.boolean()),
  }),
  /** Agent groups with an external agent, which is not sandboxed. */
  external: v.optional(v.array(AgentGroupID), []),
  /** Number of people who must approve a change. */
  approvals: v.number(),
  frozen: v.array(Freeze),
  sandbox: SandboxPosture,
  processes: v.array(ProcessState),
  degraded: v.array(v.string()),
  /** Parked sessions, which a person must resume, with the reason. At most the first hundred. */
  parked: v.optional(v.array(SessionStatus), []),
  held: v.number(),
})
export type Status = v.InferOutput<typeof Status>

const Count = v.pipe(v.number(), v.minValue(0))

/** A sample of the unit's history, for plots. Counters cover the time since the previous sample; gauges are current values. */
export const StatusSample = v.strictObject({
  at: Time,
  /** Tool lists and calls, and how many of them failed. */
  calls: Count,
  callErrors: Count,
  /** Milliseconds; absent if there were no calls. */
  callP50: v.optional(Count),
  callP95: v.optional(Count),
  modelRequests: Count,
  modelErrors: Count,
  modelTokens: Count,
  decisions: Count,
  held: Count,
  sandboxes: Count,
})
export type StatusSample = v.InferOutput<typeof StatusSample>

export const StatusHistory = v.strictObject({
  /** Seconds between two samples. */
  every: v.number(),
  /** Oldest first, at most one hour, since the control plane started. */
  samples: v.array(StatusSample),
})
export type StatusHistory = v.InferOutput<typeof StatusHistory>
