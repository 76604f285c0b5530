// Ends changes without a decision: withdrawn by their requester, or expired.
import { type Change, Reason, Requester, ServiceError } from '@gatehouse/contracts'
import type { Clock, Logger } from '@gatehouse/kernel'
import { parse } from '../input.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Actor, changeLine, systemActor } from '../state/change-records.ts'
import { isUnapplied, readChange, type ReadDeps } from '../state/changes.ts'
import { changeLock, type Lock } from '../state/lock.ts'
import { alreadyDecidedError } from './decision.ts'

export interface ExpireDeps extends ReadDeps {
  readonly ledger: Ledger
  readonly lock: Lock
  readonly log: Logger
  readonly clock: Clock
}

const isExpired = ({ state, expiresAt }: Pick<Change, 'state' | 'expiresAt'>, clock: Pick<Clock, 'isPast'>): boolean =>
  state === 'held' && expiresAt !== undefined && clock.isPast(Date.parse(expiresAt))

/** Ends a held change whose time is over, and returns its current state. Under the lock of the change. */
export const expireIfOver = async (deps: Omit<ExpireDeps, 'lock'>, change: Change): Promise<Change> => {
  if (!isExpired(change, deps.clock)) return change
  const at = new Date(deps.clock()).toISOString()
  try {
    await deps.ledger.commit([changeLine('expire', { actor: systemActor, change }, { at })])
  } catch (error) {
    deps.log.warn('could not journal the expiry of a change, will retry', { change: change.id, error })
    return { ...change, state: 'expired', ended: { by: systemActor.principal, principal: systemActor.principal, at } }
  }
  return readChange(deps, change.id)
}

/** Ends all held changes whose time is over. */
export const expireAll = async (deps: ExpireDeps): Promise<void> => {
  const held = await deps.store.read.all<{ id: string; expires_at: string }>(
    `SELECT id, expires_at FROM changes WHERE state = 'held' AND expires_at IS NOT NULL ORDER BY id`,
  )
  const expired = held.filter(({ expires_at }) => deps.clock.isPast(Date.parse(expires_at)))
  await Promise.all(expired.map(({ id }) => deps.lock(changeLock(id), async () => expireIfOver(deps, await readChange(deps, id)))))
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
    detail: `only the requester of ${change.id} can withdraw it, and ${principal} is not its requester`,
    hint: 'reject it instead',
  })
}

export const withdraw = async (deps: ExpireDeps, caller: Actor, request: Withdrawal): Promise<Change> => {
  const by = parse(Requester, request.by ?? `api:${caller.principal}`, '/by')
  const reason = request.reason === undefined ? {} : { reason: parse(Reason, request.reason, '/reason') }
  return deps.lock(changeLock(request.id), async () => {
    await deps.ledger.settle()
    const change = await expireIfOver(deps, await readChange(deps, request.id))
    assertOwn(caller.principal, change)
    if (!isUnapplied(change)) throw alreadyDecidedError(change)
    const at = new Date(deps.clock()).toISOString()
    await deps.ledger.commit([changeLine('withdraw', { actor: { ...caller, by }, change }, { at, ...reason })])
    return readChange(deps, change.id)
  })
}
