// Takes a session that the gateway has opened into the table. One that it has closed meanwhile stays closed.
import type { Session as Registered } from '@gatehouse/contracts'
import type { Context } from './context.ts'
import { park } from './park.ts'
import { createSession, type Session } from './session.ts'

export const adopt = (context: Context, registered: Registered): Session => {
  const session = context.sessions.get(registered.id) ?? createSession(registered)
  context.sessions.set(session.id, session)
  session.open = !context.closed.has(session.id)
  const reason = context.unreadable.get(session.id)
  if (reason !== undefined) park(context, session, reason)
  return session
}
