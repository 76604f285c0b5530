// Takes a message from a person. It is on disk before the answer; the sandbox is not waited for.
import { randomUUID } from 'node:crypto'
import {
  type AgentGroupID,
  ConversationID,
  MessageID,
  type Params,
  type Result,
  type runnerControlPlane,
  ServiceError,
} from '@gatehouse/contracts'
import * as v from 'valibot'
import { findRepeat, type RepeatKey } from '../queue/repeat.ts'
import { adopt } from '../sessions/adopt.ts'
import type { Context } from '../sessions/context.ts'
import { receive } from '../sessions/receive.ts'
import type { Session } from '../sessions/session.ts'
import { withQueue } from '../sessions/with-queue.ts'

type Edge = typeof runnerControlPlane
type Sent = Result<Edge, 'send'>

const defaultConversation = v.parse(ConversationID, 'console')

export interface Conversation {
  readonly agentGroupID: AgentGroupID
  readonly conversationID: ConversationID
}

/** One that is closed while its opening is on its way here is opened anew. */
export const openSession = async (context: Context, conversation: Conversation): Promise<Session> => {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const session = adopt(context, await context.gateway.openSession(conversation))
    if (session.open) return session
  }
  throw new ServiceError('unavailable', { detail: 'The session of this conversation is being closed.', hint: 'Send it again in a moment.' })
}

const take = async (context: Context, { agentGroupID, conversationId, text, idempotency }: Params<Edge, 'send'>): Promise<Sent> => {
  const refusal = context.posture.refusal()
  if (refusal !== undefined) throw refusal
  const conversationID = conversationId ?? defaultConversation
  const session = await openSession(context, { agentGroupID, conversationID })
  const id = v.parse(MessageID, `m-${randomUUID()}`)
  const { repeated } = await receive(context, session, { id, from: 'user', text, repeat: idempotency })
  if (idempotency !== undefined) context.repeats.keep(idempotency, session.id)
  return { conversationId: conversationID, messageId: repeated ?? id, sessionId: session.id, replayed: repeated !== undefined }
}

/** The answer that the same request got before, whatever has become of its conversation since. */
const replay = async (context: Context, key: RepeatKey): Promise<Sent | undefined> => {
  const place = context.repeats.placeOf(key)
  const session = place === undefined ? undefined : context.sessions.get(place)
  if (session === undefined) return undefined
  const messageId = await withQueue(context, session, (store) => findRepeat(store.read, key))
  if (messageId === undefined) return undefined
  return { conversationId: session.conversationID, messageId, sessionId: session.id, replayed: true }
}

export const send = async (context: Context, params: Params<Edge, 'send'>): Promise<Sent> => {
  const { idempotency } = params
  if (idempotency === undefined) return take(context, params)
  return context.repeats.inTurn(idempotency, async () => (await replay(context, idempotency)) ?? take(context, params))
}
