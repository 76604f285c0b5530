// RPC handlers for channels, and messages that arrive through them.
import { createHash } from 'node:crypto'
import { type ChannelName, MessageID, type Params, type Result, type runnerChannels } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import type { Handlers } from '@gatehouse/rpc'
import * as v from 'valibot'
import { openSession } from '../chat.ts'
import { fileHandlers } from '../file-handlers.ts'
import { findRepeat, type RepeatKey } from '../queue/accept.ts'
import { newProgress } from '../queue/delivery.ts'
import { withQueue } from '../sessions/queue-access.ts'
import { receive } from '../sessions/receive.ts'
import type { Context } from '../state/context.ts'
import { principalOf } from '../state/idempotency-index.ts'
import { deadLettered, delivered, envelope, letters, outbox, sentFile } from './outbox.ts'

/** Accepts a message from a channel. Idempotent: the channel may deliver it several times. */
type Edge = typeof runnerChannels
type Taken = Result<Edge, 'receive'>

const fingerprint = (channel: ChannelName, id: string): string => createHash('sha256').update(`${channel}\n${id}`).digest('hex')

/** Known for a day in every conversation, and in its own conversation as long as the message is stored. */
const keyOf = ({ channel, id }: Params<Edge, 'receive'>): RepeatKey => {
  const key = fingerprint(channel, id)
  return { principal: principalOf(channel), key, body: sha256(key) }
}

const takenBefore = async (context: Context, key: RepeatKey): Promise<Taken | undefined> => {
  const place = context.repeats.placeOf(key)
  const session = place === undefined ? undefined : context.sessions.get(place)
  if (session === undefined) return undefined
  const messageId = await withQueue(context, session, (store) => findRepeat(store.read, key))
  return messageId === undefined ? undefined : { messageId, sessionId: session.id, known: true }
}

const take = async (context: Context, params: Params<Edge, 'receive'>, repeat: RepeatKey): Promise<Taken> => {
  const refusal = context.posture.refusal()
  if (refusal !== undefined) throw refusal
  const { agentGroupID, conversationId: conversationID, channel, author, reference, text } = params
  const session = await openSession(context, { agentGroupID, conversationID })
  const id = v.parse(MessageID, `c-${repeat.key.slice(0, 40)}`)
  // Before the agent can answer.
  session.delivery ??= newProgress(channel)
  const { stored } = await receive(context, session, { id, from: 'user', text, repeat, origin: { channel, author, reference } })
  context.repeats.keep(repeat, session.id)
  return { messageId: id, sessionId: session.id, known: !stored }
}

const receiveFromChannel = (context: Context, params: Params<Edge, 'receive'>): Promise<Taken> => {
  const key = keyOf(params)
  return context.repeats.runInTurn(key, async () => (await takenBefore(context, key)) ?? take(context, params, key))
}

export const channelHandlers = (context: Context): Handlers<typeof runnerChannels> => {
  const { fileBegin, filePart, fileEnd, fileDrop } = fileHandlers(context)
  return {
    receive: (message) => receiveFromChannel(context, message),
    outbox: (wanted) => outbox(context, wanted),
    delivered: (word) => delivered(context, word),
    buried: (word) => deadLettered(context, word),
    sentFile: (wanted) => sentFile(context, wanted),
    letters: (wanted) => letters(context, wanted),
    envelope: (asked) => envelope(context, asked),
    fileBegin: async (wanted, call) => {
      // If the message would be refused, that error takes precedence over unavailable files.
      const refusal = context.posture.refusal()
      if (refusal !== undefined) throw refusal
      return fileBegin(wanted, call)
    },
    filePart,
    fileEnd,
    fileDrop,
  }
}
