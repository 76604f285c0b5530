// What an agent may ask for itself, through its own session: a change of its own group, of few kinds.
import { agentKinds, type Change, type ChangeID, type Failure, type SessionID, type Submitted } from '@gatehouse/contracts'
import { findChange, unknownChange } from '../changes/read.ts'
import { type Asker, submit, type SubmitDeps } from '../changes/submit.ts'
import { presentSession } from './find.ts'
import type { OpenSessions } from './open-sessions.ts'

export interface SubmitForDeps extends SubmitDeps {
  readonly sessions: OpenSessions
}

export interface AskedBySession {
  readonly session: SessionID
  readonly kind: string
  readonly after: unknown
  readonly reason?: string | undefined
}

export interface Outcome {
  readonly id: ChangeID
  readonly state: Change['state']
  readonly failure?: Failure
  readonly reason?: string
}

export const submitFor = async (deps: SubmitForDeps, edge: string, asked: AskedBySession): Promise<Submitted> => {
  const { agentGroupID } = presentSession(deps.sessions, asked.session)
  const asker: Asker = { edge, principal: `session:${asked.session}`, by: `agent:${agentGroupID}`, kinds: agentKinds }
  return submit(deps, asker, { kind: asked.kind, agentGroupID, after: asked.after, reason: asked.reason })
}

const outcomeOf = ({ id, state, failure, decisions }: Change): Outcome => {
  const reason = decisions.at(-1)?.reason
  return { id, state, ...(failure === undefined ? {} : { failure }), ...(reason === undefined ? {} : { reason }) }
}

/** A change of another group is no change at all to this session. */
export const changeFor = async (deps: SubmitForDeps, { session, id }: { session: SessionID; id: ChangeID }): Promise<Outcome> => {
  const { agentGroupID } = presentSession(deps.sessions, session)
  const change = await findChange(deps.store.read, id)
  if (change?.agentGroupID !== agentGroupID) throw unknownChange(id)
  return outcomeOf(change)
}
