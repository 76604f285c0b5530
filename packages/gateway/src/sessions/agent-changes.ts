// Changes that an agent requests, reads or withdraws through its session. It sees only those of its group.
import {
  requestableKinds,
  type Change,
  type ChangeID,
  type Failure,
  isServiceError,
  ServiceError,
  type SessionID,
  type Submitted,
} from '@gatehouse/contracts'
import type { Asker } from '../changes/examine.ts'
import { submit, type SubmitDeps } from '../changes/submit.ts'
import { type ExpireDeps, withdraw } from '../changes/withdraw.ts'
import { readChange, type ReadDeps, unknownChange } from '../state/changes.ts'
import { type LastCalls, type OpenSessions, presentSession } from '../state/sessions.ts'

interface AskedOfSession extends ReadDeps {
  readonly sessions: OpenSessions
}

interface Outcome {
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

/** What an agent may ask for itself, through its own session: a change of its own group, of few kinds. */
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
  const asker: Asker = { edge, principal: `session:${session}`, by: `agent:${agentGroupID}`, kinds: requestableKinds }
  const afterToolOutput = deps.lastCalls.since(session, asked.turnSince)
  const { replayed: _never, ...submitted } = await submit(deps, asker, {
    submission: { kind, agentGroupID, after, reason },
    afterToolOutput,
  })
  return submitted
}

/** An agent takes back, through its own session, what it asked for through it. What others asked for is theirs. */
export interface WithdrawnBySession {
  readonly session: SessionID
  readonly id: ChangeID
  readonly reason?: string | undefined
}

/** Who decided is no matter of a sandbox. Taken back twice is as good as once. */
const standing = async (deps: AskedOfSession, asked: WithdrawnBySession): Promise<Outcome> => {
  const change = await changeOf(deps, asked)
  if (change.state === 'withdrawn') return outcomeOf(change)
  throw new ServiceError('change-already-decided', {
    detail: `${change.id} is ${change.state}`,
    hint: 'what has ended or is in force cannot be taken back',
  })
}

export const withdrawFor = async (deps: AskedOfSession & ExpireDeps, edge: string, asked: WithdrawnBySession): Promise<Outcome> => {
  const { id, agentGroupID } = await changeOf(deps, asked)
  const by = `agent:${agentGroupID}`
  try {
    return outcomeOf(await withdraw(deps, { edge, principal: `session:${asked.session}`, by }, { id, by, reason: asked.reason }))
  } catch (error) {
    if (isServiceError(error) && error.code === 'change-already-decided') return standing(deps, asked)
    throw error
  }
}
