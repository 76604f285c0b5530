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
import type { ChangeRequester } from '../changes/examine.ts'
import { submit, type SubmitDeps } from '../changes/submit.ts'
import { type ExpireDeps, withdraw } from '../changes/withdraw.ts'
import { readChange, type ReadDeps, unknownChange } from '../state/changes.ts'
import { type LastCalls, type OpenSessions, presentSession } from '../state/sessions.ts'

interface SessionChangeDeps extends ReadDeps {
  readonly sessions: OpenSessions
}

interface Outcome {
  readonly id: ChangeID
  readonly state: Change['state']
  readonly failure?: Failure
  readonly reason?: string
}

export const toOutcome = ({ id, state, failure, decisions, ended }: Change): Outcome => {
  const reason = decisions.at(-1)?.reason ?? ended?.reason
  return { id, state, ...(failure === undefined ? {} : { failure }), ...(reason === undefined ? {} : { reason }) }
}

/** Reads a change of the session's group. Throws `not-found` for a change of another group. */
export const readGroupChange = async (deps: SessionChangeDeps, { session, id }: { session: SessionID; id: ChangeID }): Promise<Change> => {
  const { agentGroupID } = presentSession(deps.sessions, session)
  const change = await readChange(deps, id)
  if (change.agentGroupID !== agentGroupID) throw unknownChange(id)
  return change
}

export interface SubmitForDeps extends SubmitDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: LastCalls
}

export interface AgentRequest {
  readonly session: SessionID
  readonly kind: string
  readonly after: unknown
  readonly reason?: string | undefined
  /** When the agent received the first message of its current turn. */
  readonly turnSince?: string | undefined
}

/** Submits a change that an agent requests for its own group. Only some kinds are allowed. */
export const submitFor = async (deps: SubmitForDeps, edge: string, request: AgentRequest): Promise<Submitted> => {
  const { session, kind, after, reason } = request
  const { agentGroupID } = presentSession(deps.sessions, session)
  const requester: ChangeRequester = { edge, principal: `session:${session}`, by: `agent:${agentGroupID}`, kinds: requestableKinds }
  const afterToolOutput = deps.lastCalls.since(session, request.turnSince)
  const { replayed: _replayed, ...submitted } = await submit(deps, requester, {
    submission: { kind, agentGroupID, after, reason },
    afterToolOutput,
  })
  return submitted
}

export interface AgentWithdrawal {
  readonly session: SessionID
  readonly id: ChangeID
  readonly reason?: string | undefined
}

/** Answers a second withdrawal like the first. The agent is not told who decided. */
const answerDecided = async (deps: SessionChangeDeps, request: AgentWithdrawal): Promise<Outcome> => {
  const change = await readGroupChange(deps, request)
  if (change.state === 'withdrawn') return toOutcome(change)
  throw new ServiceError('change-already-decided', {
    detail: `${change.id} is ${change.state}`,
    hint: 'only a pending change can be withdrawn',
  })
}

/** Withdraws a change that the agent requested through the same session. Idempotent. */
export const withdrawFor = async (deps: SessionChangeDeps & ExpireDeps, edge: string, request: AgentWithdrawal): Promise<Outcome> => {
  const { id, agentGroupID } = await readGroupChange(deps, request)
  const by = `agent:${agentGroupID}`
  try {
    return toOutcome(await withdraw(deps, { edge, principal: `session:${request.session}`, by }, { id, by, reason: request.reason }))
  } catch (error) {
    if (isServiceError(error) && error.code === 'change-already-decided') return answerDecided(deps, request)
    throw error
  }
}
