// The highest number among a group's messages, which lie in one file a conversation. Opens those alone whose last write is unclear.
import type { AgentGroupID } from '@gatehouse/contracts'
import { lastSeq } from '../queue/last-seq.ts'
import { UnreadableQueue } from '../queue/unreadable.ts'
import { type Context, sessionsOf } from './context.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

/** A queue that cannot be read holds up no other conversation. */
const highestIn = async (context: Context, session: Session): Promise<number> => {
  if (!session.unclear) return session.lastSeq
  try {
    session.lastSeq = await withQueue(context, session, lastSeq)
    session.unclear = false
  } catch (error) {
    if (!(error instanceof UnreadableQueue)) throw error
  }
  return session.lastSeq
}

export const highestSeq = async (context: Context, group: AgentGroupID): Promise<number> => {
  let highest = context.floors.get(group) ?? 0
  for (const session of sessionsOf(context, group)) {
    // Also where the first message of a conversation may have been written.
    if (session.hasQueue || session.unclear) highest = Math.max(highest, await highestIn(context, session))
  }
  return highest
}
