// The sessions of a group that is gone end with it, and its calls are forgotten. The database has closed them already.
import type { Audience } from '../events/audience.ts'
import type { CallRates } from '../grants/call-rates.ts'
import type { LastCalls } from './last-call.ts'
import type { OpenSessions } from './open-sessions.ts'

export interface CloseRemovedDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: LastCalls
  readonly rates: Pick<CallRates, 'forget'>
  readonly audience: Audience
}

export const closeRemoved = ({ sessions, lastCalls, rates, audience }: CloseRemovedDeps, agentGroupID: string): void => {
  rates.forget(agentGroupID)
  for (const session of sessions.all().filter((open) => open.agentGroupID === agentGroupID)) {
    sessions.end(session)
    lastCalls.forget(session.id)
    audience.broker('session-closed', { session: session.id })
    audience.modelProxy('session-closed', { session: session.id })
    audience.runner('session-closed', { session: session.id })
  }
}
