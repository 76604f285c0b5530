// Reads back what was said in the conversations of a group, as one list.
import { type ChatMessage, limits, type Params, type Result, type runnerControlPlane } from '@gatehouse/contracts'
import { list, type Page } from '../queue/list.ts'
import { UnreadableQueue } from '../queue/unreadable.ts'
import { withinBytes } from '../queue/within-bytes.ts'
import { type Context, sessionsOf } from '../sessions/context.ts'
import type { Session } from '../sessions/session.ts'
import { withQueue } from '../sessions/with-queue.ts'

type Edge = typeof runnerControlPlane

/** A queue that cannot be read hides no other: its session says so in the list of sessions. */
const saidIn = async (context: Context, session: Session, page: Page): Promise<ChatMessage[]> => {
  if (!session.hasQueue) return []
  try {
    const said = await withQueue(context, session, (store) => list(store, page))
    return said.map((message) => ({ ...message, conversationId: session.conversationID }))
  } catch (error) {
    if (error instanceof UnreadableQueue) return []
    throw error
  }
}

/** Ascending. With `after` the oldest that follow it, else the newest; fewer where they would not fit one frame. */
export const messages = async (
  context: Context,
  { agentGroupID, after, limit, conversation }: Params<Edge, 'messages'>,
): Promise<Result<Edge, 'messages'>> => {
  const page = { limit: Math.max(1, Math.min(Math.trunc(limit), limits.chatPage)), after }
  const sessions = sessionsOf(context, agentGroupID).filter(
    ({ conversationID }) => conversation === undefined || conversationID === conversation,
  )
  const said = await Promise.all(sessions.map((session) => saidIn(context, session, page)))
  const ordered = said.flat().toSorted((a, b) => a.seq - b.seq)
  const most = limits.rpcFrame / 2
  if (after !== undefined) return { messages: withinBytes(ordered.slice(0, page.limit), most) }
  return { messages: withinBytes(ordered.slice(-page.limit).toReversed(), most).toReversed() }
}
