// `session.sock`: the API of the host for agents. A stable contract for custom agents.
import * as v from 'valibot'
import { ChangeState, Failure, Reason } from '../change.ts'
import { AgentFilePath } from '../files.ts'
import { AgentGroupID, ChangeID, ConversationID, MessageID, SessionID, Time } from '../ids.ts'
import { AgentKind, BuiltinTool, ModelChoice } from '../kinds/agents.ts'
import { limits } from '../limits.ts'

export const SessionInfo = v.strictObject({
  session: SessionID,
  agentGroupID: AgentGroupID,
  conversationId: ConversationID,
  name: v.string(),
  agent: AgentKind,
  persona: v.string(),
  /** Enabled built-in tools. */
  tools: v.array(BuiltinTool),
  /** Enabled built-in tools that cannot be used on this unit, each with the reason. */
  unavailable: v.optional(v.record(v.string(), v.string())),
  model: v.optional(ModelChoice),
})
export type SessionInfo = v.InferOutput<typeof SessionInfo>

export const InboxMessage = v.strictObject({
  id: MessageID,
  seq: v.number(),
  from: v.picklist(['user', 'system']),
  text: v.string(),
  at: Time,
  /** The author in the channel; absent for the console. */
  author: v.optional(v.string()),
})
export type InboxMessage = v.InferOutput<typeof InboxMessage>

/** `GET /inbox?wait=25`: at most one long poll per session. Unacknowledged messages are delivered again. */
export const Inbox = v.strictObject({ messages: v.array(InboxMessage) })

/** `POST /outbox` → 202. Idempotent by id. */
export const OutboxMessage = v.strictObject({
  id: MessageID,
  text: v.pipe(v.string(), v.maxBytes(limits.messageText, 'expected at most 256 KiB')),
  inReplyTo: v.optional(MessageID),
  /** Paths below /workspace or /memory. */
  files: v.optional(v.pipe(v.array(AgentFilePath), v.maxLength(limits.sentFiles, `expected at most ${limits.sentFiles} files`))),
})
export type OutboxMessage = v.InferOutput<typeof OutboxMessage>

/** `POST /changes` → 202. */
export const ChangeRequest = v.strictObject({
  kind: v.string(),
  after: v.unknown(),
  reason: v.optional(Reason),
})
/** Withdraws the agent's own request. */
export const ChangeWithdrawal = v.strictObject({ reason: v.optional(Reason) })
export const ChangeAnswer = v.strictObject({
  id: ChangeID,
  state: ChangeState,
  failure: v.optional(Failure),
  reason: v.optional(v.string()),
})
export type ChangeAnswer = v.InferOutput<typeof ChangeAnswer>
