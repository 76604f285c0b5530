// Takes a message that came by a channel. The channel may bring it again and again: it is one message.
import { createHash } from 'node:crypto'
import { type ChannelName, MessageID, type Params, type Result, type runnerChannels } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import * as v from 'valibot'
import { principalOf } from '../chat/repeats.ts'
import { openSession } from '../chat/send.ts'
import { newProgress } from '../queue/delivery.ts'
import { findRepeat, type RepeatKey } from '../queue/repeat.ts'
import type { Context } from '../sessions/context.ts'
import { receive } from '../sessions/receive.ts'
import { withQueue } from '../sessions/with-queue.ts'

type Edge = typeof runnerChannels
type Taken = Result<Edge, 'receive'>

const fingerprint = (channel: ChannelName, id: string): string => createHash('sha256').update(`${channel}\n${id}`).digest('hex')

/** Known for a day wherever its conversation leads by then; in its own conversation for as long as the message is kept. */
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

export const receiveFromChannel = (context: Context, params: Params<Edge, 'receive'>): Promise<Taken> => {
  const key = keyOf(params)
  return context.repeats.inTurn(key, async () => (await takenBefore(context, key)) ?? take(context, params, key))
}
