// Bodies of the admin API that are not already a resource of their own.
import * as v from 'valibot'
import { AuditEntry, Change, ChangeState, Requester, Submission } from '../change.ts'
import { ProcessState } from '../edges/life.ts'
import { ChatMessage, SandboxPosture, SessionStatus } from '../edges/runner-control-plane.ts'
import { AgentGroupID, ChangeID, ConversationID, Digest, MessageID, ServerName, SessionID } from '../ids.ts'
import { limits } from '../limits.ts'
import { AgentGroup, CatalogEntry, Grant, ServerState } from '../registry.ts'

const listOf = <S extends v.GenericSchema>(item: S) => v.strictObject({ items: v.array(item), nextCursor: v.optional(v.string()) })

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

export const SubmitBody = Submission
export const SubmitAnswer = v.strictObject({ id: ChangeID, state: ChangeState, digest: Digest })
export type SubmitAnswer = v.InferOutput<typeof SubmitAnswer>

export const DecisionBody = v.strictObject({
  outcome: v.picklist(['approve', 'reject']),
  decidedBy: Requester,
  reason: v.optional(v.pipe(v.string(), v.maxLength(4096))),
  digest: v.optional(Digest),
})
export type DecisionBody = v.InferOutput<typeof DecisionBody>

export const ChangeList = listOf(Change)
export type ChangeList = v.InferOutput<typeof ChangeList>
export const AuditList = listOf(AuditEntry)
export type AuditList = v.InferOutput<typeof AuditList>
export const GroupList = listOf(AgentGroup)
export type GroupList = v.InferOutput<typeof GroupList>
export const GrantList = listOf(Grant)
export type GrantList = v.InferOutput<typeof GrantList>
export const SessionList = v.strictObject({ items: v.array(SessionStatus) })
export type SessionList = v.InferOutput<typeof SessionList>

export const ChatSendBody = v.strictObject({
  agentGroupID: AgentGroupID,
  text: v.pipe(v.string(), v.minLength(1), v.maxBytes(limits.messageText, 'expected at most 256 KiB')),
  conversationId: v.optional(ConversationID),
})
export const ChatSendAnswer = v.strictObject({ conversationId: ConversationID, messageId: MessageID, sessionId: SessionID })
export type ChatSendAnswer = v.InferOutput<typeof ChatSendAnswer>
export const ChatMessages = v.strictObject({ messages: v.array(ChatMessage) })
export type ChatMessages = v.InferOutput<typeof ChatMessages>

export const ServerView = v.strictObject({ name: ServerName, entry: CatalogEntry, digest: Digest, state: v.optional(ServerState) })
export type ServerView = v.InferOutput<typeof ServerView>
export const ServerList = v.strictObject({ items: v.array(ServerView) })
export type ServerList = v.InferOutput<typeof ServerList>

export const Ready = v.strictObject({
  status: v.picklist(['ready', 'not-ready']),
  sandbox: v.string(),
  degraded: v.optional(v.array(v.string())),
})
export type Ready = v.InferOutput<typeof Ready>

export const Status = v.strictObject({
  version: v.string(),
  mode: v.picklist(['production', 'demo', 'dev']),
  /** True where no token is asked for. */
  open: v.boolean(),
  startedAt: v.string(),
  mcp: v.strictObject({ enabled: v.boolean(), isolation: v.optional(v.string()) }),
  sandbox: SandboxPosture,
  processes: v.array(ProcessState),
  degraded: v.array(v.string()),
  held: v.number(),
})
export type Status = v.InferOutput<typeof Status>
