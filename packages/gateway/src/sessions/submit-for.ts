// What an agent may ask for itself, through its own session: a change of its own group, of few kinds.
import { agentKinds, type Change, type ChangeID, type Failure, type SessionID, type Submitted } from '@gatehouse/contracts'
import type { Asker } from '../changes/examine.ts'
import { readChange, unknownChange } from '../changes/read.ts'
import { submit, type SubmitDeps } from '../changes/submit.ts'
import { presentSession } from './find.ts'
import type { LastCalls } from './last-call.ts'
import type { OpenSessions } from './open-sessions.ts'

export interface SubmitForDeps extends SubmitDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: LastCalls
}

export interface AskedBySession {
  readonly session: SessionID
  readonly kind: string
  readonly after: unknown
  readonly reason?: string | undefined
  /** When the first message of the agent's present turn was handed to it. */
  readonly turnSince?: string | undefined
}

export interface Outcome {
  readonly id: ChangeID
  readonly state: Change['state']
  readonly failure?: Failure
  readonly reason?: string
}

export const submitFor = async (deps: SubmitForDeps, edge: string, asked: AskedBySession): Promise<Submitted> => {
  const { session, kind, after, reason } = asked
  const { agentGroupID } = presentSession(deps.sessions, session)
  const asker: Asker = { edge, principal: `session:${session}`, by: `agent:${agentGroupID}`, kinds: agentKinds }
  const afterToolOutput = deps.lastCalls.since(session, asked.turnSince)
  const { replayed: _never, ...submitted } = await submit(deps, asker, {
    submission: { kind, agentGroupID, after, reason },
    afterToolOutput,
  })
  return submitted
}

const outcomeOf = ({ id, state, failure, decisions, ended }: Change): Outcome => {
  const reason = decisions.at(-1)?.reason ?? ended?.reason
  return { id, state, ...(failure === undefined ? {} : { failure }), ...(reason === undefined ? {} : { reason }) }
}

/** A change of another group is no change at all to this session. */
export const changeFor = async (deps: SubmitForDeps, { session, id }: { session: SessionID; id: ChangeID }): Promise<Outcome> => {
  const { agentGroupID } = presentSession(deps.sessions, session)
  const change = await readChange(deps, id)
  if (change.agentGroupID !== agentGroupID) throw unknownChange(id)
  return outcomeOf(change)
}
