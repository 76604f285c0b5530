// A freeze may have been set or lifted: what waits goes on if it may, and what runs is left running either way.
import type { Context } from './context.ts'
import { ask, type Registered } from './ask.ts'
import { ensure } from './ensure.ts'
import { relaunch } from './relaunch.ts'
import type { Session } from './session.ts'

/** Only a sandbox that runs has to know; a launch asks by itself. Gives the answer, if it is the latest. */
export const reconsider = async (context: Context, session: Session): Promise<Registered | undefined> => {
  if (session.run === undefined) {
    session.frozen = false
    ensure(context, session)
    return undefined
  }
  const registered = await ask(context, session)
  if (session.frozen) return registered
  if (session.stale !== undefined) relaunch(context, session, { narrowing: session.stale === 'narrowed' })
  session.news.emit('message')
  ensure(context, session)
  return registered
}
