// Sees to it that somebody works for a session that needs a sandbox. Returns at once.
import type { Context } from './context.ts'
import { isWanted, keep } from './keep.ts'
import { settleOwed } from './owed.ts'
import { park } from './park.ts'
import type { Session } from './session.ts'

export const ensure = (context: Context, session: Session): void => {
  if (session.keeping !== undefined || !isWanted(context, session)) return
  session.keeping = keep(context, session)
    .catch((error: unknown) => {
      context.log.error('unexpected error while keeping a session', { session: session.id, error })
      park(context, session, 'an internal error, which is in the log')
    })
    .finally(() => {
      session.keeping = undefined
      // A message may have come while the loop was ending.
      if (session.state === 'idle') ensure(context, session)
      if (session.keeping === undefined) settleOwed(context, session)
    })
}

export const ensureAll = (context: Context): void => {
  for (const session of context.sessions.values()) ensure(context, session)
}
