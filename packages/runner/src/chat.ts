// Chat with people: accepts their messages, which are on disk before the answer, and lists conversations. Never waits for a
// sandbox.
import { randomUUID } from 'node:crypto'
import {
  type AgentGroupID,
  type ChatMessage,
  ConversationID,
  limits,
  MessageID,
  type Params,
  type Result,
  type runnerControlPlane,
  ServiceError,
} from '@gatehouse/contracts'
import * as v from 'valibot'
import { UnreadableQueue } from './errors.ts'
import { findRepeat, type RepeatKey } from './queue/accept.ts'
import { list, type Page, withinBytes } from './queue/list.ts'
import type { Session } from './session/session.ts'
import { withQueue } from './sessions/queue-access.ts'
import { receive } from './sessions/receive.ts'
import { adoptSession } from './sessions/registry.ts'
import { type Context, sessionsOf } from './state/context.ts'

type Edge = typeof runnerControlPlane
type Sent = Result<Edge, 'send'>

const defaultConversation = v.parse(ConversationID, 'console')

export interface Conversation {
  readonly agentGroupID: AgentGroupID
  readonly conversationID: ConversationID
}

/** A session that is closed while its opening is in transit is opened again. */
export const openSession = async (context: Context, conversation: Conversation): Promise<Session> => {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const session = adoptSession(context, await context.gateway.openSession(conversation))
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

/** The earlier answer to the same request, whatever happened to its conversation since. */
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
  return context.repeats.runInTurn(idempotency, async () => (await replay(context, idempotency)) ?? take(context, params))
}

/** Reads the messages of all conversations of a group as one list. Opens only queues that can contribute to it. */
const most = limits.rpcFrame / 2

/** An unreadable queue does not affect others; the list of sessions reports it. */
const saidIn = async (context: Context, session: Session, page: Page): Promise<ChatMessage[]> => {
  try {
    const said = await withQueue(context, session, (store) => list(store, page))
    return said.map((message) => ({ ...message, conversationId: session.conversationID }))
  } catch (error) {
    if (error instanceof UnreadableQueue) return []
    throw error
  }
}

const bySeq = (a: ChatMessage, b: ChatMessage): number => a.seq - b.seq

const after = async (context: Context, sessions: readonly Session[], page: Page & { after: number }): Promise<ChatMessage[]> => {
  const said: ChatMessage[] = []
  for (const session of sessions.filter(({ lastSeq }) => lastSeq > page.after)) said.push(...(await saidIn(context, session, page)))
  return withinBytes(said.toSorted(bySeq).slice(0, page.limit), most)
}

/** Starts at the conversation with the newest message and ends when the page is full and the rest is older. */
const newest = async (context: Context, sessions: readonly Session[], page: Page): Promise<ChatMessage[]> => {
  let said: ChatMessage[] = []
  for (const session of sessions.toSorted((a, b) => b.lastSeq - a.lastSeq)) {
    if (said.length === page.limit && (said[0]?.seq ?? 0) > session.lastSeq) break
    said = [...said, ...(await saidIn(context, session, page))].toSorted(bySeq).slice(-page.limit)
  }
  return withinBytes(said.toReversed(), most).toReversed()
}

/** Ascending. With `after` the oldest messages that follow it, otherwise the newest; fewer if they would not fit into one frame. */
export const messages = async (
  context: Context,
  { agentGroupID, after: from, limit, conversation }: Params<Edge, 'messages'>,
): Promise<Result<Edge, 'messages'>> => {
  const page = { limit: Math.max(1, Math.min(Math.trunc(limit), limits.chatPage)) }
  const sessions = sessionsOf(context, agentGroupID).filter(
    ({ hasQueue, conversationID }) => hasQueue && (conversation === undefined || conversationID === conversation),
  )
  return { messages: await (from === undefined ? newest(context, sessions, page) : after(context, sessions, { ...page, after: from })) }
}
