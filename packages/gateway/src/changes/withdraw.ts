// Ends changes without a decision: withdrawn by their requester, or expired.
import { type Change, Reason, Requester, ServiceError } from '@gatehouse/contracts'
import type { Clock, Logger } from '@gatehouse/kernel'
import { parse } from '../input.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Actor, changeLine, systemActor } from '../state/change-records.ts'
import { isUnapplied, readChange, type ReadDeps } from '../state/changes.ts'
import { changeLock, type Lock } from '../state/lock.ts'
import { alreadyDecidedError } from './decision.ts'

/** The end of a held change that nobody decided in time. A clock that steps back revives nothing. */
export interface ExpireDeps extends ReadDeps {
  readonly ledger: Ledger
  readonly lock: Lock
  readonly log: Logger
  readonly clock: Clock
}

const isOver = ({ state, expiresAt }: Pick<Change, 'state' | 'expiresAt'>, clock: Pick<Clock, 'isPast'>): boolean =>
  state === 'held' && expiresAt !== undefined && clock.isPast(Date.parse(expiresAt))

/** Under the lock of the change. The change as it then is; a change whose time is not over stays as it is. */
export const expireIfOver = async (deps: Omit<ExpireDeps, 'lock'>, change: Change): Promise<Change> => {
  if (!isOver(change, deps.clock)) return change
  const at = new Date(deps.clock()).toISOString()
  try {
    await deps.ledger.commit([changeLine('expire', { actor: systemActor, change }, { at })])
  } catch (error) {
    deps.log.warn('a change has expired, which could not be journaled yet', { change: change.id, error })
    return { ...change, state: 'expired', ended: { by: systemActor.principal, principal: systemActor.principal, at } }
  }
  return readChange(deps, change.id)
}

/** Those whose time is over. */
export const expireAll = async (deps: ExpireDeps): Promise<void> => {
  const held = await deps.store.read.all<{ id: string; expires_at: string }>(
    `SELECT id, expires_at FROM changes WHERE state = 'held' AND expires_at IS NOT NULL ORDER BY id`,
  )
  const over = held.filter(({ expires_at }) => deps.clock.isPast(Date.parse(expires_at)))
  await Promise.all(over.map(({ id }) => deps.lock(changeLock(id), async () => expireIfOver(deps, await readChange(deps, id)))))
}

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
    if (!isUnapplied(change)) throw alreadyDecidedError(change)
    const at = new Date(deps.clock()).toISOString()
    await deps.ledger.commit([changeLine('withdraw', { actor: { ...door, by }, change }, { at, ...reason })])
    return readChange(deps, change.id)
  })
}
