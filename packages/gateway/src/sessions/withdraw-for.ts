// An agent takes back, through its own session, what it asked for through it. What others asked for is theirs.
import { type ChangeID, isServiceError, ServiceError, type SessionID } from '@gatehouse/contracts'
import type { ExpireDeps } from '../changes/expire.ts'
import { withdraw } from '../changes/withdraw.ts'
import { type AskedOfSession, changeOf, type Outcome, outcomeOf } from './change-for.ts'

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
