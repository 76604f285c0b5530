// Reads back what was said in the conversations of a group, as one list. Opens no queue that cannot have a part in it.
import { type ChatMessage, limits, type Params, type Result, type runnerControlPlane } from '@gatehouse/contracts'
import { list, type Page } from '../queue/list.ts'
import { UnreadableQueue } from '../queue/unreadable.ts'
import { withinBytes } from '../queue/within-bytes.ts'
import { type Context, sessionsOf } from '../sessions/context.ts'
import type { Session } from '../sessions/session.ts'
import { withQueue } from '../sessions/with-queue.ts'

type Edge = typeof runnerControlPlane

const most = limits.rpcFrame / 2

/** A queue that cannot be read hides no other: its session says so in the list of sessions. */
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

/** From the conversation with the newest message on, until the page is full of what is newer than the rest. */
const newest = async (context: Context, sessions: readonly Session[], page: Page): Promise<ChatMessage[]> => {
  let said: ChatMessage[] = []
  for (const session of sessions.toSorted((a, b) => b.lastSeq - a.lastSeq)) {
    if (said.length === page.limit && (said[0]?.seq ?? 0) > session.lastSeq) break
    said = [...said, ...(await saidIn(context, session, page))].toSorted(bySeq).slice(-page.limit)
  }
  return withinBytes(said.toReversed(), most).toReversed()
}

/** Ascending. With `after` the oldest that follow it, else the newest; fewer where they would not fit one frame. */
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
