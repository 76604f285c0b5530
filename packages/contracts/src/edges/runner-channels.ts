// What channels bring to the queues, and what they take from them to deliver. The gateway has admitted each person beforehand.
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
const said = { session: SessionID, seq: v.number() }
/** The next message of the same conversation, if there is one. */
const Next = v.strictObject({ next: v.optional(Delivery) })

export const runnerChannels = defineEdge({
  server: 'runner',
  caller: 'channels',
  calls: {
    /** On disk when it answers. The same id of the channel twice is one message. */
    receive: call(
      v.strictObject({
        channel: Channel,
        /** By which the channel itself tells one message from another. */
        id: v.pipe(v.string(), v.minLength(1), v.maxLength(limits.channelMessageID)),
        agentGroupID: AgentGroupID,
        conversationId: ConversationID,
        /** Who wrote it. */
        author: ChannelText,
        text: v.pipe(v.string(), v.minLength(1), v.maxBytes(limits.messageText, 'expected at most 256 KiB')),
        reference: Reference,
      }),
      v.strictObject({ messageId: MessageID, sessionId: SessionID, known: v.boolean() }),
      { patient: true },
    ),
    /** The oldest message of each conversation that has something to be delivered and is not to be skipped. */
    outbox: call(v.strictObject({ ...live, limit: v.number(), skip: v.array(SessionID) }), v.strictObject({ items: v.array(Delivery) }), {
      patient: true,
      large: true,
    }),
    /** With `parts`: so many of them; without: the whole message. Twice is as good as once. */
    delivered: call(v.strictObject({ ...said, parts: v.optional(v.number()) }), Next, { patient: true, large: true }),
    /** A part of the copy of a file that goes with a message, in base64. `not-found` where the message waits no more. */
    sentFile: call(v.strictObject({ ...said, file: v.number(), part: v.number() }), v.strictObject({ data: Part }), {
      patient: true,
      large: true,
    }),
    /** It will never be delivered: it stays in the conversation, and is counted. */
    buried: call(v.strictObject({ ...said, reason: v.string() }), Next, { patient: true, large: true }),
    /** How many messages wait and how many died, and the newest dead ones. */
    letters: call(
      v.strictObject({ ...live, limit: v.number() }),
      v.strictObject({
        counts: v.array(v.strictObject({ channel: Channel, waiting: v.number(), dead: v.number() })),
        letters: v.array(DeadLetter),
      }),
      { patient: true, large: true },
    ),
    /** Of the newest message of the session that came by a channel; null where none did. */
    envelope: call(v.strictObject({ session: SessionID }), v.strictObject({ reference: v.nullable(Reference) }), { patient: true }),
    fileBegin,
    filePart,
    fileEnd,
    fileDrop,
  },
  events: {
    /** Something may be there to be delivered. */
    outbox: v.strictObject({}),
  },
})
