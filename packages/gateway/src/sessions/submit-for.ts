// What an agent may ask for itself, through its own session: a change of its own group, of few kinds.
import { agentKinds, type SessionID, type Submitted } from '@gatehouse/contracts'
import type { Asker } from '../changes/examine.ts'
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
