// The sessions of a group that is gone end with it. The database has closed them already.
import type { Audience } from '../events/audience.ts'
import type { LastCalls } from './last-call.ts'
import type { OpenSessions } from './open-sessions.ts'

export interface CloseRemovedDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: LastCalls
  readonly audience: Audience
}

export const closeRemoved = ({ sessions, lastCalls, audience }: CloseRemovedDeps, agentGroupID: string): void => {
  for (const session of sessions.all().filter((open) => open.agentGroupID === agentGroupID)) {
    sessions.end(session)
    lastCalls.forget(session.id)
    audience.broker('session-closed', { session: session.id })
    audience.modelProxy('session-closed', { session: session.id })
    audience.runner('session-closed', { session: session.id })
  }
}
