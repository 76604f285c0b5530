// Takes a session out of service until a human looks at it. Its messages stay.
import type { Context } from './context.ts'
import { move } from './machine.ts'
import type { Session } from './session.ts'

/** A sandbox that runs is ended first, and the loop that keeps it makes the step. */
export const park = ({ log, note }: Pick<Context, 'log' | 'note'>, session: Session, reason: string): void => {
  if (session.parked !== undefined) return
  session.parked = reason
  log.warn('session parked', { session: session.id, agentGroupID: session.agentGroupID, reason })
  note('park', session, { reason })
  if (session.run === undefined) move(session, 'park')
  else session.run.end('park')
}
