// An approved change takes effect: verified again, then registry and change state in one transaction, once.
import { type AgentGroupID, type Change, type Failure, type Freeze, isServiceError } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import type { Logger, Metrics } from '@gatehouse/kernel'
import { register, type RegisterDeps } from '../catalog/register.ts'
import { registered, writtenBefore } from '../kinds/registration.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { OpenSessions } from '../sessions/open-sessions.ts'
import { reached } from './conditions.ts'
import { hasMoved, judgeAgain, type JudgeDeps, type Judged, type JudgedAgain } from './judge.ts'
import { type Actor, changeLine, itself } from './lines.ts'
import type { Lock } from './lock.ts'
import { readChange, type ReadDeps } from './read.ts'
import { standingApprovers, type StandingDeps } from './standing.ts'
import { approversOf } from './tally.ts'
import { verify } from './verify.ts'

export interface ApplyDeps extends JudgeDeps, ReadDeps, RegisterDeps, StandingDeps {
  readonly boot: JudgeDeps['boot'] & StandingDeps['boot']
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

/** Nothing is narrower than what is gone. */
const isOnlyTaking = ({ bound, sight, draft }: Judged): boolean => draft !== undefined && bound.onlyTakes(sight)

/** Why it cannot be applied as it was approved. */
const obstacle = (change: Change, { bound, sight, draft }: Judged): Failure | undefined => {
  const verdict = verify({ bound, sight, decisions: change.decisions })
  if (verdict.outcome === 'needs-human') throw new TypeError(`${change.id} has no approval and is not applied`)
  if (verdict.outcome === 'refused') return verdict.failure
  return draft === undefined || hasMoved(change, draft) ? stale : undefined
}

interface Attempt {
  readonly change: Change
  readonly judged: JudgedAgain
  /** A freeze stops what gives power. What only takes it away must not wait for the end of the freeze. */
  readonly mayGoOn: () => boolean
}

/** What must be done before the line: a new entry stands in the catalog file. Resolves with why it cannot be done. */
const prepare = async (deps: ApplyDeps, { change, mayGoOn }: Attempt): Promise<Failure | undefined> => {
  const registration = registered(change, deps.secrets)
  if (registration === undefined) return undefined
  try {
    await register(deps, registration, mayGoOn)
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

/** Whose approval was given and does not count any more. */
const lostApprovers = (change: Change, standing: ReadonlySet<string>): string[] =>
  [...approversOf(change)].filter((person) => !standing.has(person))

/** The line that ends the attempt; undefined where nothing may be done now. */
const conclude = async (deps: ApplyDeps, actor: Actor, attempt: Attempt): Promise<JournalInput | undefined> => {
  const { change, judged, mayGoOn } = attempt
  // What the catalog file holds already is in force: nothing that came since takes it back.
  const isInForce = writtenBefore(change, deps) !== undefined
  if (!isInForce && !mayGoOn()) return undefined
  const standing = standingApprovers(deps, change)
  const needed = deps.boot.approvals
  if (!isInForce && standing.size < needed) {
    const reopened = { needed, given: standing.size, lost: lostApprovers(change, standing) }
    return changeLine('rebased', { actor: itself, change }, { reopened })
  }
  const failure = isInForce ? undefined : (obstacle(change, judged) ?? (await prepare(deps, attempt)))
  if (!isInForce && !mayGoOn()) return undefined
  const subject = { actor, change }
  if (failure !== undefined) return changeLine('apply-failed', subject, { digest: change.digest, failure })
  const at = new Date(deps.clock()).toISOString()
  const effect = judged.bound.apply(judged.shown, { changeID: change.id, at })
  return changeLine('apply', subject, { digest: change.digest, at, effect, sessions: reached(deps.sessions, change) })
}

/** False where nothing may be done now. */
const applyOnce = async (deps: ApplyDeps, actor: Actor, change: Change): Promise<boolean> => {
  const judged = await judgeAgain(deps, change)
  const isNarrowing = isOnlyTaking(judged)
  const mayGoOn = (): boolean => isNarrowing || deps.freezes.of(change.agentGroupID) === undefined
  const line = await conclude(deps, actor, { change, judged, mayGoOn })
  if (line === undefined) return false
  await deps.ledger.commit([line])
  return true
}

/**
 * Under the locks of the change and of its group. Whoever approved it is judged again: where too few approvals stand, it is
 * held again. Under a freeze, and where the effect cannot be written now, the answer is the change as `approved`, and it is
 * tried again until it is applied.
 */
export const apply = async (deps: ApplyDeps, actor: Actor, change: Change): Promise<Change> => {
  if (change.state !== 'approved') return change
  const stop = deps.metrics.histogram('gateway_apply_duration_seconds').startTimer({ kind: change.kind })
  try {
    if (await alone(deps, change, () => applyOnce(deps, actor, change))) stop()
  } catch (error) {
    deps.log.error('an approved change could not be applied yet', { change: change.id, error })
    deps.retry()
  }
  return readChange(deps, change.id)
}
