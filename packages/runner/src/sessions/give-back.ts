// Gives the room of what is kept no longer back to the disk, and keeps in mind what the rest takes.
import { bytesIn } from '../queue/bytes.ts'
import type { Context } from './context.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

export const giveBack = (context: Context, session: Session): Promise<void> =>
  withQueue(context, session, async (store) => {
    await store.compact()
    session.bytes = await bytesIn(store.read)
  })
