// An approved change takes effect: verified again, then registry and change state in one transaction, once.
import type { Change } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Ledger } from '../ledger/ledger.ts'
import { judgeAgain, type JudgeDeps } from './judge.ts'
import { type Actor, changeLine } from './lines.ts'
import { readChange } from './read.ts'
import { verify } from './verify.ts'

export interface ApplyDeps extends JudgeDeps {
  readonly ledger: Ledger
  readonly log: Logger
  readonly metrics: Metrics
  /** Comes back to approved changes whose apply could not be written. */
  retry(): void
}

const applyOnce = async (deps: ApplyDeps, actor: Actor, change: Change): Promise<void> => {
  const { bound, world } = await judgeAgain(deps, change)
  const verdict = verify({ bound, world, decisions: change.decisions })
  if (verdict.outcome === 'needs-human') throw new TypeError(`${change.id} has no approval and is not applied`)
  const subject = { actor, change }
  if (verdict.outcome === 'refused') {
    await deps.ledger.commit([changeLine('apply-failed', subject, { digest: change.digest, failure: verdict.failure })])
    return
  }
  const at = new Date(deps.clock()).toISOString()
  const effect = bound.apply(world, { changeID: change.id, at })
  await deps.ledger.commit([changeLine('apply', subject, { digest: change.digest, at, effect })])
}

/**
 * Under the lock of the change's group. The approval stands whatever happens here: where the effect cannot be
 * written now, the answer is the change as `approved`, and it is tried again until it is applied.
 */
export const apply = async (deps: ApplyDeps, actor: Actor, change: Change): Promise<Change> => {
  if (change.state !== 'approved') return change
  const stop = deps.metrics.histogram('gateway_apply_duration_seconds').startTimer({ kind: change.kind })
  try {
    await applyOnce(deps, actor, change)
    stop()
  } catch (error) {
    deps.log.error('an approved change could not be applied yet', { change: change.id, error })
    deps.retry()
  }
  return readChange(deps.store.read, change.id)
}
