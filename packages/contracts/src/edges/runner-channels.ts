// Incoming channel messages and deliveries. The gateway admits each person in advance.
import * as v from 'valibot'
import { Channel } from '../channel-table.ts'
import { ChannelText, DeadLetter, Delivery, Reference } from '../channels.ts'
import { call, defineEdge } from '../edge.ts'
import { AgentGroupID, ConversationID, MessageID, SessionID } from '../ids.ts'
import { limits } from '../limits.ts'
import { fileCalls } from './file-calls.ts'

const { fileBegin, filePart, fileEnd, fileDrop } = fileCalls
const live = { channels: v.array(Channel) }
/** At most `limits.filePart` bytes. */
const Part = v.pipe(v.string(), v.maxLength(Math.ceil(limits.filePart / 3) * 4))
const message = { session: SessionID, seq: v.number() }
/** The next message of the same conversation, if there is one. */
const Next = v.strictObject({ next: v.optional(Delivery) })

export const runnerChannels = defineEdge({
  server: 'runner',
  caller: 'channels',
  calls: {
    /** Stores a message. Resolves when it is on disk. The same channel id twice is one message. */
    receive: call(
      v.strictObject({
        channel: Channel,
        /** The channel's own message id. */
        id: v.pipe(v.string(), v.minLength(1), v.maxLength(limits.channelMessageID)),
        agentGroupID: AgentGroupID,
        conversationId: ConversationID,
        /** The author in the channel. */
        author: ChannelText,
        text: v.pipe(v.string(), v.minLength(1), v.maxBytes(limits.messageText, 'expected at most 256 KiB')),
        reference: Reference,
      }),
      v.strictObject({ messageId: MessageID, sessionId: SessionID, known: v.boolean() }),
      { patient: true },
    ),
    /** The oldest undelivered message of each conversation that is not skipped. */
    outbox: call(v.strictObject({ ...live, limit: v.number(), skip: v.array(SessionID) }), v.strictObject({ items: v.array(Delivery) }), {
      patient: true,
      large: true,
    }),
    /** Reports delivery of the first `parts` parts, or of the whole message without `parts`. Idempotent. */
    delivered: call(v.strictObject({ ...message, parts: v.optional(v.number()) }), Next, { patient: true, large: true }),
    /** A part of a file of a message in base64. Throws `not-found` if the message no longer waits for delivery. */
    sentFile: call(v.strictObject({ ...message, file: v.number(), part: v.number() }), v.strictObject({ data: Part }), {
      patient: true,
      large: true,
    }),
    /** Reports that delivery failed permanently. The message stays in the conversation and counts as dead. */
    buried: call(v.strictObject({ ...message, reason: v.string() }), Next, { patient: true, large: true }),
    /** Number of waiting and dead messages, and the newest dead letters. */
    letters: call(
      v.strictObject({ ...live, limit: v.number() }),
      v.strictObject({
        counts: v.array(v.strictObject({ channel: Channel, waiting: v.number(), dead: v.number() })),
        letters: v.array(DeadLetter),
      }),
      { patient: true, large: true },
    ),
    /** Reference of the session's newest channel message; null if there is none. */
    envelope: call(v.strictObject({ session: SessionID }), v.strictObject({ reference: v.nullable(Reference) }), { patient: true }),
    fileBegin,
    filePart,
    fileEnd,
    fileDrop,
  },
  events: {
    /** There may be messages to deliver. */
    outbox: v.strictObject({}),
  },
})
