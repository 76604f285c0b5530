// Gives the room of what is kept no longer back to the disk, and keeps in mind what the rest takes.
import { bytesIn } from '../queue/bytes.ts'
import type { Context } from './context.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

/** Bytes. */
const mostKept = 32 * 1024 * 1024

export const giveBack = (context: Context, session: Session): Promise<void> =>
  withQueue(context, session, async (store) => {
    session.bytes = await bytesIn(store.read)
    // What is kept is written anew, in memory and in the log: where that is much, its free room is used again instead.
    if (session.bytes > mostKept) return
    await store.compact()
    session.bytes = await bytesIn(store.read)
  })
