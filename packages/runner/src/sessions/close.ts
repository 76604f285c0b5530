// The gateway has closed a session: its sandbox ends. What was said stays to be read; what waits is delivered to nobody any more.
import type { Context } from './context.ts'
import { settleOwed } from './owed.ts'
import type { Session } from './session.ts'

/** Resolves when the sandbox is gone. The next message of the conversation opens another session. */
export const close = async (context: Context, session: Session): Promise<void> => {
  context.closed.add(session.id)
  session.open = false
  session.again = false
  session.run?.end('terminate')
  session.pause?.abort()
  await session.keeping
  settleOwed(context, session)
  session.telling
    .then(() => context.shelf.release(session.id))
    .catch((error: unknown) => context.log.warn('queue not closed in order', { session: session.id, error }))
}
