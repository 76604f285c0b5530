// Bodies of the admin API that are not already a resource of their own.
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

/** `false` in the answer to an act that takes power away: it holds, and is on no disk yet, so that it ends with the gateway. */
export const keptHeader = 'Gatehouse-Kept'

/** RFC 9457, with the members of the error table. */
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
  /** Only says what would become of it. */
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
  /** Absent: the whole unit. */
  agentGroupID: v.optional(AgentGroupID),
  reason: v.pipe(Reason, v.minLength(1, 'expected a reason')),
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

/** Above the schema's own bound of `limits.evidence`, a change shows its evidence by digest; this is the whole. */
export const WholeEvidence = v.strictObject({ evidence: v.nullable(JsonObject) })
export type WholeEvidence = v.InferOutput<typeof WholeEvidence>

/** Providers of models that the unit can ask, and the tokens that groups took since midnight, UTC. */
export const ModelList = v.strictObject({ items: v.array(ProviderView), spending: v.array(ModelSpending) })
export type ModelList = v.InferOutput<typeof ModelList>
export const ModelCallList = ModelCallPage
export type ModelCallList = v.InferOutput<typeof ModelCallList>

/** That it was taken is all that its sender is told. */
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

/** `tag` is the entity tag of the entry, values included. */
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

/** Which unit answers: a copy of its state directory has the same installation, and is another directory. */
export const UnitIdentity = v.strictObject({
  installation: v.string(),
  /** The state directory that the unit holds, with the device and inode number of that directory. */
  stateDir: v.string(),
  device: v.string(),
  inode: v.string(),
})
export type UnitIdentity = v.InferOutput<typeof UnitIdentity>

export const Status = v.strictObject({
  version: v.string(),
  /** Absent for a token that is narrowed to groups, and while the directory cannot be reached. */
  identity: v.optional(UnitIdentity),
  mode: v.picklist(['production', 'demo', 'dev']),
  /** True where no token is asked for. */
  open: v.boolean(),
  /** Who asks. */
  principal: v.strictObject({
    name: v.string(),
    role: Role,
    /** The admin whose token created this one; absent for a person of its own. */
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
  /** Agent groups whose agent runs outside of the unit, in no sandbox. */
  external: v.optional(v.array(AgentGroupID), []),
  /** Different people that must approve a change. */
  approvals: v.number(),
  frozen: v.array(Freeze),
  sandbox: SandboxPosture,
  processes: v.array(ProcessState),
  degraded: v.array(v.string()),
  /** Sessions for which nothing is launched until a person resumes them, and why: at most the first hundred. */
  parked: v.optional(v.array(SessionStatus), []),
  held: v.number(),
})
export type Status = v.InferOutput<typeof Status>

/** The last hour of the unit in numbers, for plots: what happened between two readings of its metrics. */
const Count = v.pipe(v.number(), v.minValue(0))

/** Counts are of the time since the sample before; gauges are of the moment. */
export const StatusSample = v.strictObject({
  at: Time,
  /** Lists and calls of tools, and those among them that did not go well. */
  calls: Count,
  callErrors: Count,
  /** Milliseconds; absent where nothing was called. */
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
  /** Oldest first, at most an hour of them; none from before the present start of the control plane. */
  samples: v.array(StatusSample),
})
export type StatusHistory = v.InferOutput<typeof StatusHistory>
