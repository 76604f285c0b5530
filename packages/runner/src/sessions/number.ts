// Writes a message under the next number of its group, and keeps in mind how far the conversation has come.
import type { Store } from '@gatehouse/store'
import type { Stored } from '../queue/accept.ts'
import { bytesIn } from '../queue/bytes.ts'
import type { Context } from './context.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

/** A write that fails may have happened all the same: until it was looked at, the session's number is unclear. */
export const number = async (
  context: Context,
  session: Session,
  write: (store: Store, seq: number) => Promise<Stored>,
): Promise<Stored> => {
  // A new queue takes a dozen syncs, for which the others of the group need not wait.
  await withQueue(context, session, async () => undefined)
  return context.sequence.next(session.agentGroupID, async (seq) => {
    session.unclear = true
    const stored = await withQueue(context, session, async (store) => {
      const written = await write(store, seq)
      session.bytes = await bytesIn(store.read)
      return written
    })
    session.unclear = false
    session.hasQueue = true
    if (stored.stored) session.lastSeq = seq
    return stored
  })
}
