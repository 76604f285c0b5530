// Puts the sessions that have a queue on disk into the table at start.
import type { FoundQueues } from '../queue/find.ts'
import type { Context } from './context.ts'
import { createSession } from './session.ts'

type Loaded = Pick<Context, 'sessions' | 'unreadable' | 'repeats' | 'deadLetters' | 'log'>

/** None is open until the gateway has said so. A queue that cannot be read is kept in mind until then. */
export const loadSessions = ({ sessions, unreadable, repeats, deadLetters, log }: Loaded, found: FoundQueues): void => {
  for (const { about, waiting, bytes, lastSeq, untold, owed, delivery, letters } of found.readable) {
    const known = { hasQueue: true, waiting, bytes, lastSeq, untold, delivery, owed: new Map(owed.map((id) => [id, undefined])) }
    sessions.set(about.id, Object.assign(createSession(about), known))
    for (const letter of letters) deadLetters.keep(about.id, letter)
  }
  const keys = found.readable.flatMap(({ about, repeats: kept }) => kept.map((repeat) => ({ ...repeat, session: about.id })))
  for (const repeat of keys.toSorted((a, b) => (a.at < b.at ? -1 : 1))) repeats.keep(repeat, repeat.session)
  for (const [session, reason] of found.unreadable) {
    unreadable.set(session, reason)
    log.error('queue cannot be read', { session, reason })
  }
}
