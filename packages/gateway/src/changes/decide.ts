// A human's decision on a change: an approval while it is held, a rejection until it is applied. Exactly one end counts.
import { setTimeout as pause } from 'node:timers/promises'
import { type Change, limits, ServiceError } from '@gatehouse/contracts'
import type { Kept } from '../ledger/owed.ts'
import type { ApplyDeps } from './apply.ts'
import { approve } from './approve.ts'
import { alreadyDecided } from './decided.ts'
import { expireIfOver } from './expire.ts'
import type { Actor } from './lines.ts'
import { changeLock, type Lock } from './lock.ts'
import { readChange } from './read.ts'
import { reject } from './reject.ts'
import { assertNotByHand } from './rights.ts'
import { isUnapplied } from './stop.ts'
import { readVerdict, showAgain, type Verdict } from './verdict.ts'

export interface DecideDeps extends ApplyDeps {
  /** By group: what an approval is judged on stays as it is until the act ends. */
  readonly lock: Lock
}

const assertShown = (change: Change, { digest }: Verdict): void => {
  if (digest === undefined || digest === change.digest) return
  throw new ServiceError('digest-mismatch', {
    detail: `expected ${change.digest}, which is ${change.id} as it is now, got ${digest}`,
    hint: showAgain,
    extra: { digest: change.digest },
  })
}

/** A no must not fail because the journal or the database cannot be written, nor wait for them for long. */
const settle = async ({ ledger, log }: DecideDeps, { outcome }: Verdict): Promise<void> => {
  if (outcome === 'approve') return ledger.settle()
  const settled = ledger.settle().catch((error: unknown) => log.warn('a change is rejected while the database is behind', { error }))
  await Promise.race([settled, pause(limits.lateWait, undefined, { ref: false })])
}

const decideAlone = (deps: DecideDeps, actor: Actor, verdict: Verdict): Promise<Change & Kept> =>
  deps.lock(changeLock(verdict.id), async () => {
    await settle(deps, verdict)
    const change = await expireIfOver(deps, await readChange(deps, verdict.id))
    if (verdict.outcome === 'approve' ? change.state !== 'held' : !isUnapplied(change)) throw alreadyDecided(change)
    assertNotByHand(actor, change)
    assertShown(change, verdict)
    return verdict.outcome === 'approve' ? approve(deps, actor, { change, verdict }) : reject(deps, actor, { change, verdict })
  })

/** @param door the edge and the principal that proved itself */
export const decide = async (deps: DecideDeps, door: Actor, given: Verdict): Promise<Change & Kept> => {
  const verdict = readVerdict(given)
  const actor: Actor = { ...door, by: verdict.decidedBy }
  const { agentGroupID } = await readChange(deps, verdict.id)
  const act = (): Promise<Change & Kept> => decideAlone(deps, actor, verdict)
  return verdict.outcome === 'approve' ? deps.lock(agentGroupID, act) : act()
}
