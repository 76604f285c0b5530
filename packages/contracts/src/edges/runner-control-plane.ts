// Chat messages, files and sessions. The gateway authorizes each call in advance.
import * as v from 'valibot'
import { call, defineEdge } from '../edge.ts'
import { SentFile } from '../files.ts'
import { AgentGroupID, ConversationID, Digest, MessageID, SessionID, Time } from '../ids.ts'
import { limits } from '../limits.ts'
import { fileCalls } from './file-calls.ts'

export const ChatMessage = v.strictObject({
  id: MessageID,
  conversationId: ConversationID,
  /** Ascending without gaps within a group. */
  seq: v.number(),
  from: v.picklist(['user', 'agent', 'system']),
  text: v.string(),
  at: Time,
  inReplyTo: v.optional(MessageID),
  /** The author in the channel; absent for the console. */
  author: v.optional(v.string()),
  /** Files that the agent sent with it, with their paths at that time; absent if there are none. */
  files: v.optional(v.array(SentFile)),
})
export type ChatMessage = v.InferOutput<typeof ChatMessage>

export const sessionStates = ['idle', 'launching', 'live', 'backoff', 'parked', 'stopping'] as const

export const SessionStatus = v.strictObject({
  id: SessionID,
  agentGroupID: AgentGroupID,
  conversationId: ConversationID,
  state: v.picklist(sessionStates),
  /** Messages that the agent has not acknowledged yet. */
  waiting: v.number(),
  launches: v.number(),
  lastExit: v.optional(v.string()),
  /** What a person must do before this parked session can be resumed, if known. */
  fix: v.optional(v.string()),
})
export type SessionStatus = v.InferOutput<typeof SessionStatus>

/** A session must match all fields. */
const sessionFilter = {
  agentGroupIDs: v.optional(v.array(AgentGroupID)),
  session: v.optional(SessionID),
  conversation: v.optional(ConversationID),
  state: v.optional(v.picklist(sessionStates)),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(limits.pageSizeMost))),
  /** The last session of the previous page. */
  cursor: v.optional(SessionID),
}

export const SandboxPosture = v.strictObject({
  driver: v.string(),
  status: v.picklist(['ok', 'refused', 'off']),
  reason: v.optional(v.string()),
  /** Program behind the driver, with its runtime. */
  engine: v.optional(v.string()),
  /** Controls of the seal that this driver does not support on this host, or that failed their proof. */
  missing: v.array(v.string()),
  /** Result of the last seal proof. */
  seal: v.optional(v.picklist(['proving', 'held', 'lacking'])),
  /** Problem of the engine's release. */
  old: v.optional(v.string()),
})
export type SandboxPosture = v.InferOutput<typeof SandboxPosture>

/** One line of sandbox output. */
export const SessionLogLine = v.strictObject({ at: Time, sandbox: v.string(), text: v.string() })
export type SessionLogLine = v.InferOutput<typeof SessionLogLine>

export const SessionLogs = v.strictObject({
  lines: v.array(SessionLogLine),
  /** Number of earlier lines that were dropped. */
  dropped: v.number(),
})
export type SessionLogs = v.InferOutput<typeof SessionLogs>

/** The result of a seal proof for each control, as probed from inside and outside a sandbox. */
export const SealProof = v.strictObject({
  driver: v.string(),
  engine: v.string(),
  at: Time,
  elapsedMs: v.number(),
  walls: v.array(v.strictObject({ name: v.string(), says: v.string(), verdict: v.picklist(['held', 'lacking']) })),
  /** Errors of the probe itself. */
  faults: v.array(v.string()),
  old: v.optional(v.string()),
})
export type SealProof = v.InferOutput<typeof SealProof>

export const runnerControlPlane = defineEdge({
  server: 'runner',
  caller: 'control-plane',
  calls: {
    send: call(
      v.strictObject({
        agentGroupID: AgentGroupID,
        conversationId: v.optional(ConversationID),
        text: v.pipe(v.string(), v.minLength(1), v.maxBytes(limits.messageText, 'expected at most 256 KiB')),
        idempotency: v.optional(v.strictObject({ principal: v.string(), key: v.string(), body: Digest })),
      }),
      v.strictObject({ conversationId: ConversationID, messageId: MessageID, sessionId: SessionID, replayed: v.boolean() }),
      { patient: true },
    ),
    messages: call(
      v.strictObject({
        agentGroupID: AgentGroupID,
        after: v.optional(v.number()),
        limit: v.number(),
        conversation: v.optional(ConversationID),
      }),
      v.strictObject({ messages: v.array(ChatMessage) }),
      { patient: true, large: true },
    ),
    /** Sorted by id. */
    sessions: call(v.strictObject(sessionFilter), v.strictObject({ items: v.array(SessionStatus), nextCursor: v.optional(SessionID) }), {
      large: true,
      patient: true,
    }),
    /** Ends the sandbox of a closed session. Resolves when it has ended. */
    terminate: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true, deadline: limits.drainTime + 2_000 }),
    /** Resumes a parked session. */
    resume: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true }),
    /** Cancels the message that the agent is processing, and ends its sandbox. Throws `conflict` if there is none. */
    cancel: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true }),
    /** Deletes the queue and the key of a closed session. */
    purge: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true }),
    logs: call(v.strictObject({ session: SessionID, limit: v.number() }), SessionLogs, { patient: true, large: true }),
    ...fileCalls,
    posture: call(v.strictObject({}), SandboxPosture, { patient: true }),
    proveSeal: call(v.strictObject({}), SealProof, { patient: true, deadline: limits.sealProofTime }),
  },
  events: {},
})
