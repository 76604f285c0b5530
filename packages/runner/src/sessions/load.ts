// Puts the sessions that have a queue on disk into the table at start.
import type { FoundQueues } from '../queue/find.ts'
import type { Context } from './context.ts'
import { createSession } from './session.ts'

/** None is open until the gateway has said so. A queue that cannot be read is kept in mind until then. */
export const loadSessions = ({ sessions, unreadable, log }: Pick<Context, 'sessions' | 'unreadable' | 'log'>, found: FoundQueues): void => {
  for (const { about, waiting, untold } of found.readable) {
    sessions.set(about.id, Object.assign(createSession(about), { hasQueue: true, waiting, untold }))
  }
  for (const [session, reason] of found.unreadable) {
    unreadable.set(session, reason)
    log.error('queue cannot be read', { session, reason })
  }
}
