// A human lets a parked session work again: its failures are forgotten.
import { ServiceError, type SessionID } from '@gatehouse/contracts'
import { waitingIn } from '../queue/waiting.ts'
import type { Context } from './context.ts'
import { ensure } from './ensure.ts'
import { move } from './machine.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

/** Files may have been put back: what waits is read anew. One that still cannot be read parks its session again. */
const readQueue = async (context: Context, session: Session): Promise<void> => {
  session.waiting = await withQueue(context, session, (store) => waitingIn(store.read))
  session.hasQueue = true
  session.untold = true
}

const unpark = async (context: Context, session: Session): Promise<void> => {
  context.unreadable.delete(session.id)
  session.parked = undefined
  session.fix = undefined
  move(session, 'resume')
  await readQueue(context, session)
}

/** One that is not parked is tried at once where it was to be tried later. */
export const resume = async (context: Context, id: SessionID): Promise<void> => {
  const session = context.sessions.get(id)
  if (session?.open !== true) throw new ServiceError('not-found', { detail: `No session ${id} is open.` })
  if (session.parked !== undefined) await session.keeping
  session.failures = []
  session.pause?.abort()
  if (session.parked !== undefined) await unpark(context, session)
  ensure(context, session)
}
