// A freeze may have been set or lifted: what waits goes on if it may, and what runs is left running either way.
import type { Context } from './context.ts'
import { ask } from './ask.ts'
import { ensure } from './ensure.ts'
import { relaunch } from './relaunch.ts'
import type { Session } from './session.ts'

/** Only a sandbox that runs has to know; a launch asks by itself. */
export const reconsider = async (context: Context, session: Session): Promise<void> => {
  if (session.run === undefined) {
    session.frozen = false
    return ensure(context, session)
  }
  await ask(context, session)
  if (session.frozen) return
  if (session.stale !== undefined) relaunch(context, session, { narrowing: session.stale === 'narrowed' })
  session.news.emit('message')
  ensure(context, session)
}
