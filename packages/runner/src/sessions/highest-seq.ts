// The highest number among a group's messages, which lie in one file a conversation.
import type { AgentGroupID } from '@gatehouse/contracts'
import { lastSeq } from '../queue/last-seq.ts'
import { UnreadableQueue } from '../queue/unreadable.ts'
import { type Context, sessionsOf } from './context.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

/** A queue that cannot be read holds up no other conversation. */
const highestIn = async (context: Context, session: Session): Promise<number> => {
  try {
    return await withQueue(context, session, lastSeq)
  } catch (error) {
    if (error instanceof UnreadableQueue) return 0
    throw error
  }
}

export const highestSeq = async (context: Context, group: AgentGroupID): Promise<number> => {
  const sessions = sessionsOf(context, group).filter(({ hasQueue }) => hasQueue)
  return Math.max(0, ...(await Promise.all(sessions.map((session) => highestIn(context, session)))))
}
