// Messages in and out, and the sessions behind them. The gateway has permitted each call beforehand.
import * as v from 'valibot'
import { call, defineEdge } from '../edge.ts'
import { SentFile } from '../files.ts'
import { AgentGroupID, ConversationID, Digest, MessageID, SessionID, Time } from '../ids.ts'
import { limits } from '../limits.ts'
import { fileCalls } from './file-calls.ts'

export const ChatMessage = v.strictObject({
  id: MessageID,
  conversationId: ConversationID,
  /** Without gaps within a group, ascending. */
  seq: v.number(),
  from: v.picklist(['user', 'agent', 'system']),
  text: v.string(),
  at: Time,
  inReplyTo: v.optional(MessageID),
  /** Who wrote it, as the channel names people; absent for the console. */
  author: v.optional(v.string()),
  /** That the agent sent with it, where they lay then; absent where there are none. */
  files: v.optional(v.array(SentFile)),
})
export type ChatMessage = v.InferOutput<typeof ChatMessage>

export const sessionStates = ['idle', 'launching', 'live', 'backoff', 'parked', 'stopping'] as const

export const SessionStatus = v.strictObject({
  id: SessionID,
  agentGroupID: AgentGroupID,
  conversationId: ConversationID,
  state: v.picklist(sessionStates),
  /** Messages that no agent has answered for yet. */
  waiting: v.number(),
  launches: v.number(),
  lastExit: v.optional(v.string()),
  /** What a person has to do before this parked session is resumed, where that is known. */
  fix: v.optional(v.string()),
})
export type SessionStatus = v.InferOutput<typeof SessionStatus>

/** All have to fit. */
const sessionFilter = {
  agentGroupIDs: v.optional(v.array(AgentGroupID)),
  session: v.optional(SessionID),
  conversation: v.optional(ConversationID),
  state: v.optional(v.picklist(sessionStates)),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(limits.pageSizeMost))),
  /** The last one of the page before. */
  cursor: v.optional(SessionID),
}

export const SandboxPosture = v.strictObject({
  driver: v.string(),
  status: v.picklist(['ok', 'refused', 'off']),
  reason: v.optional(v.string()),
  /** Program behind the driver, with its runtime. */
  engine: v.optional(v.string()),
  /** Walls that this driver does not have on this host, or that did not hold when they were tried. */
  missing: v.array(v.string()),
  /** What the last proof of the seal came to. */
  seal: v.optional(v.picklist(['proving', 'held', 'lacking'])),
  /** What is wrong with the engine's release. */
  old: v.optional(v.string()),
})
export type SandboxPosture = v.InferOutput<typeof SandboxPosture>

/** One line of what a sandbox printed. */
export const SessionLogLine = v.strictObject({ at: Time, sandbox: v.string(), text: v.string() })
export type SessionLogLine = v.InferOutput<typeof SessionLogLine>

export const SessionLogs = v.strictObject({
  lines: v.array(SessionLogLine),
  /** Lines that came before those that are kept. */
  dropped: v.number(),
})
export type SessionLogs = v.InferOutput<typeof SessionLogs>

/** Each wall of the seal, as a probe found it from inside a sandbox and from outside. */
export const SealProof = v.strictObject({
  driver: v.string(),
  engine: v.string(),
  at: Time,
  elapsedMs: v.number(),
  walls: v.array(v.strictObject({ name: v.string(), says: v.string(), verdict: v.picklist(['held', 'lacking']) })),
  /** What went wrong with the probe itself. */
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
    /** In the order of their ids. */
    sessions: call(v.strictObject(sessionFilter), v.strictObject({ items: v.array(SessionStatus), nextCursor: v.optional(SessionID) }), {
      large: true,
      patient: true,
    }),
    /** Ends the sandbox of a session that the gateway has closed; resolves when it is gone. */
    terminate: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true, deadline: limits.drainTime + 2_000 }),
    /** Lets a parked session work again. */
    resume: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true }),
    /** Takes the message that is worked on from the agent, and ends its sandbox. `conflict` where there is none. */
    cancel: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true }),
    /** Removes key and queue of a closed session. */
    purge: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true }),
    logs: call(v.strictObject({ session: SessionID, limit: v.number() }), SessionLogs, { patient: true, large: true }),
    ...fileCalls,
    posture: call(v.strictObject({}), SandboxPosture, { patient: true }),
    proveSeal: call(v.strictObject({}), SealProof, { patient: true, deadline: limits.sealProofTime }),
  },
  events: {},
})
