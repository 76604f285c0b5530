// What a session may know of a change: one of its own group, and how it stands.
import type { Change, ChangeID, Failure, SessionID } from '@gatehouse/contracts'
import { type ReadDeps, readChange, unknownChange } from '../changes/read.ts'
import { presentSession } from './find.ts'
import type { OpenSessions } from './open-sessions.ts'

export interface AskedOfSession extends ReadDeps {
  readonly sessions: OpenSessions
}

export interface Outcome {
  readonly id: ChangeID
  readonly state: Change['state']
  readonly failure?: Failure
  readonly reason?: string
}

export const outcomeOf = ({ id, state, failure, decisions, ended }: Change): Outcome => {
  const reason = decisions.at(-1)?.reason ?? ended?.reason
  return { id, state, ...(failure === undefined ? {} : { failure }), ...(reason === undefined ? {} : { reason }) }
}

/** A change of another group is no change at all to this session. */
export const changeOf = async (deps: AskedOfSession, { session, id }: { session: SessionID; id: ChangeID }): Promise<Change> => {
  const { agentGroupID } = presentSession(deps.sessions, session)
  const change = await readChange(deps, id)
  if (change.agentGroupID !== agentGroupID) throw unknownChange(id)
  return change
}
