// Applies what was approved and could not be applied: verified again, and only if it is still what was approved.
import { type Change, nextStep, Requester, ServiceError } from '@gatehouse/contracts'
import { parse } from '../input/parse.ts'
import { apply, type ApplyDeps } from './apply.ts'
import { type Actor, changeLine } from './lines.ts'
import { changeLock, type Lock } from './lock.ts'
import { readChange } from './read.ts'

export interface RetryDeps extends ApplyDeps {
  readonly lock: Lock
}

const assertFailed = (change: Change): void => {
  if (change.state === 'apply_failed') return
  throw new ServiceError('conflict', {
    detail: `expected a change whose apply failed, got ${change.id}, which is ${change.state}`,
    hint: nextStep(change),
  })
}

export const retryFailed = async (deps: RetryDeps, door: Actor, given: { id: string; by?: string | undefined }): Promise<Change> => {
  const by = parse(Requester, given.by ?? `api:${door.principal}`, '/by')
  const actor: Actor = { ...door, by }
  const { agentGroupID } = await readChange(deps, given.id)
  return deps.lock(agentGroupID, async () => {
    await deps.ledger.settle()
    return deps.lock(changeLock(given.id), async () => {
      const change = await readChange(deps, given.id)
      assertFailed(change)
      await deps.ledger.commit([changeLine('retry', { actor, change }, { digest: change.digest })])
      return apply(deps, actor, await readChange(deps, change.id))
    })
  })
}
