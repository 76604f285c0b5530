// A requester takes its own request back, as long as nothing of it is in force.
import { type Change, Reason, Requester, ServiceError } from '@gatehouse/contracts'
import { parse } from '../input/parse.ts'
import { alreadyDecided } from './decided.ts'
import { expireIfOver, type ExpireDeps } from './expire.ts'
import { type Actor, changeLine } from './lines.ts'
import { changeLock } from './lock.ts'
import { readChange } from './read.ts'
import { isUnapplied } from './stop.ts'

export interface Withdrawal {
  readonly id: string
  /** A label; default `api:<principal>`. */
  readonly by?: string | undefined
  readonly reason?: string | undefined
}

const assertOwn = (principal: string, change: Change): void => {
  if (change.principal === principal) return
  throw new ServiceError('forbidden', {
    detail: `expected the principal that asked for ${change.id}, got ${principal}`,
    hint: 'reject it instead',
  })
}

export const withdraw = async (deps: ExpireDeps, door: Actor, given: Withdrawal): Promise<Change> => {
  const by = parse(Requester, given.by ?? `api:${door.principal}`, '/by')
  const reason = given.reason === undefined ? {} : { reason: parse(Reason, given.reason, '/reason') }
  return deps.lock(changeLock(given.id), async () => {
    await deps.ledger.settle()
    const change = await expireIfOver(deps, await readChange(deps, given.id))
    assertOwn(door.principal, change)
    if (!isUnapplied(change)) throw alreadyDecided(change)
    const at = new Date(deps.clock()).toISOString()
    await deps.ledger.commit([changeLine('withdraw', { actor: { ...door, by }, change }, { at, ...reason })])
    return readChange(deps, change.id)
  })
}
