// Lends the queue of a session. One that cannot be read parks its session, and no other.
import type { Store } from '@gatehouse/store'
import { UnreadableQueue } from '../queue/unreadable.ts'
import type { Context } from './context.ts'
import { park } from './park.ts'
import type { Session } from './session.ts'

export const withQueue = async <T>(context: Context, session: Session, act: (store: Store) => Promise<T>): Promise<T> => {
  try {
    return await context.shelf.use(session, act)
  } catch (error) {
    if (error instanceof UnreadableQueue) park(context, session, error.reason)
    throw error
  }
}
