// An approved change takes effect: verified again, then registry and change state in one transaction, once.
import { type AgentGroupID, type Change, type Failure, type Freeze, isServiceError } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import { register, type RegisterDeps } from '../catalog/register.ts'
import { kindTable } from '../kinds/index.ts'
import { registered, writtenBefore } from '../kinds/registration.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { OpenSessions } from '../sessions/open-sessions.ts'
import { reached } from './conditions.ts'
import { hasMoved, judgeAgain, type JudgeDeps, type Judged } from './judge.ts'
import { type Actor, changeLine } from './lines.ts'
import type { Lock } from './lock.ts'
import { readChange, type ReadDeps } from './read.ts'
import { verify } from './verify.ts'

export interface ApplyDeps extends JudgeDeps, ReadDeps, RegisterDeps {
  readonly ledger: Ledger
  readonly sessions: OpenSessions
  readonly freezes: { of(agentGroupID: AgentGroupID): Freeze | undefined }
  readonly lock: Lock
  readonly log: Logger
  readonly metrics: Metrics
  /** Comes back to approved changes whose apply could not be written. */
  retry(): void
}

const stale: Failure = { rule: 'stale', reason: 'what it would change, or its evidence, is no longer what was approved' }

/** Why it cannot be applied as it was approved. */
const obstacle = (change: Change, { bound, sight, draft }: Judged): Failure | undefined => {
  const verdict = verify({ bound, sight, decisions: change.decisions })
  if (verdict.outcome === 'needs-human') throw new TypeError(`${change.id} has no approval and is not applied`)
  if (verdict.outcome === 'refused') return verdict.failure
  return draft === undefined || hasMoved(change, draft) ? stale : undefined
}

/** A freeze stops what gives power. What only takes it away must not wait for the end of the stop. */
const mayGoOn = ({ freezes }: ApplyDeps, { agentGroupID, kind }: Change): boolean =>
  kindTable[kind].narrowing || freezes.of(agentGroupID) === undefined

/** What must be done before the line: a new entry stands in the catalog file. Resolves with why it cannot be done. */
const prepare = async (deps: ApplyDeps, change: Change): Promise<Failure | undefined> => {
  const registration = registered(change, deps.secrets)
  if (registration === undefined) return undefined
  try {
    await register(deps, registration, () => mayGoOn(deps, change))
    return undefined
  } catch (error) {
    if (isServiceError(error) && error.code === 'conflict') return { rule: 'catalog-conflict', reason: error.detail }
    throw error
  }
}

/** An address leads to one group, and no mount lies in what another group writes: what one does is judged after what another has done. */
const together: Partial<Record<Change['kind'], string>> = { wiring: 'all wirings', mounts: 'all mounts' }

/** No group has a space in its id. */
const alone = <T>({ lock }: ApplyDeps, { kind }: Change, act: () => Promise<T>): Promise<T> => {
  const name = together[kind]
  return name === undefined ? act() : lock(name, act)
}

const applyOnce = async (deps: ApplyDeps, actor: Actor, change: Change): Promise<void> => {
  const judged = await judgeAgain(deps, change)
  // What the catalog file holds already is in force: nothing that came since takes it back.
  const isInForce = writtenBefore(change, deps) !== undefined
  if (!mayGoOn(deps, change)) return
  const failure = isInForce ? undefined : (obstacle(change, judged) ?? (await prepare(deps, change)))
  if (!mayGoOn(deps, change)) return
  const subject = { actor, change }
  if (failure !== undefined) {
    await deps.ledger.commit([changeLine('apply-failed', subject, { digest: change.digest, failure })])
    return
  }
  const at = new Date(deps.clock()).toISOString()
  const effect = judged.bound.apply(judged.shown, { changeID: change.id, at })
  const sessions = reached(deps.sessions, change)
  await deps.ledger.commit([changeLine('apply', subject, { digest: change.digest, at, effect, sessions })])
}

/**
 * Under the lock of the change's group. The approval stands whatever happens here: under a freeze, and where the effect
 * cannot be written now, the answer is the change as `approved`, and it is tried again until it is applied.
 */
export const apply = async (deps: ApplyDeps, actor: Actor, change: Change): Promise<Change> => {
  if (change.state !== 'approved' || !mayGoOn(deps, change)) return change
  const stop = deps.metrics.histogram('gateway_apply_duration_seconds').startTimer({ kind: change.kind })
  try {
    await alone(deps, change, () => applyOnce(deps, actor, change))
    stop()
  } catch (error) {
    deps.log.error('an approved change could not be applied yet', { change: change.id, error })
    deps.retry()
  }
  return readChange(deps, change.id)
}
