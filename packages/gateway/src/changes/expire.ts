// The end of a held change that nobody decided in time. A clock that steps back revives nothing.
import type { Change } from '@gatehouse/contracts'
import type { Clock, Logger } from '@gatehouse/kernel'
import type { Ledger } from '../ledger/ledger.ts'
import { changeLine, itself } from './lines.ts'
import { changeLock, type Lock } from './lock.ts'
import { readChange, type ReadDeps } from './read.ts'

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
    await deps.ledger.commit([changeLine('expire', { actor: itself, change }, { at })])
  } catch (error) {
    deps.log.warn('a change has expired, which could not be journaled yet', { change: change.id, error })
    return { ...change, state: 'expired', ended: { by: itself.principal, principal: itself.principal, at } }
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
