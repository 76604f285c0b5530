// The end of a held change that nobody decided in time. A clock that steps back revives nothing.
import type { Change } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Ledger } from '../ledger/ledger.ts'
import { changeLine, itself } from './lines.ts'
import { changeLock, type Lock } from './lock.ts'
import { readChange, type ReadDeps } from './read.ts'

export interface ExpireDeps extends ReadDeps {
  readonly ledger: Ledger
  readonly lock: Lock
  readonly log: Logger
  readonly clock: () => number
}

const isOver = ({ state, expiresAt }: Change, now: number): boolean =>
  state === 'held' && expiresAt !== undefined && Date.parse(expiresAt) <= now

/** Under the lock of the change. The change as it then is; a change whose time is not over stays as it is. */
export const expireIfOver = async (deps: Omit<ExpireDeps, 'lock'>, change: Change): Promise<Change> => {
  const now = deps.clock()
  if (!isOver(change, now)) return change
  const at = new Date(now).toISOString()
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
  const rows = await deps.store.read.all<{ id: string }>(`SELECT id FROM changes WHERE state = 'held' AND expires_at <= ? ORDER BY id`, [
    new Date(deps.clock()).toISOString(),
  ])
  await Promise.all(rows.map(({ id }) => deps.lock(changeLock(id), async () => expireIfOver(deps, await readChange(deps, id)))))
}
