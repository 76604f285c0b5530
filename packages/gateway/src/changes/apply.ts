// Applies approved changes: verified again, then written together with the state of the change in one transaction, exactly once.
import {
  type AgentGroupID,
  type Change,
  type Failure,
  type Freeze,
  isServiceError,
  nextStep,
  Requester,
  ServiceError,
} from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import type { Clock, Logger, Metrics } from '@gatehouse/kernel'
import { enforceEntry, prepareEntry, type RegisterDeps, registered } from '../catalog/register.ts'
import { parse } from '../input.ts'
import { kindTable } from '../kinds/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Sealed } from '../secrets.ts'
import { type Actor, changeLine, systemActor } from '../state/change-records.ts'
import { type ChangeRow, readChange, type ReadDeps, toChange } from '../state/changes.ts'
import { changeLock, type Lock } from '../state/lock.ts'
import type { OpenSessions } from '../state/sessions.ts'
import { type ApprovalDeps, approversOf, validApprovers } from './approvals.ts'
import { type EvaluateDeps, type Evaluation, hasChanged, reevaluate, type Reevaluation, verify } from './evaluate.ts'
import { affectedSessions } from './rollout.ts'

export interface ApplyDeps extends EvaluateDeps, ReadDeps, RegisterDeps, ApprovalDeps {
  readonly boot: EvaluateDeps['boot'] & ApprovalDeps['boot']
  readonly clock: Clock
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
const isOnlyTaking = ({ bound, input, draft }: Evaluation): boolean => draft !== undefined && bound.appliesUnderFreeze(input)

/** Why it cannot be applied as it was approved. */
const obstacle = (change: Change, { bound, input, draft }: Evaluation): Failure | undefined => {
  const verdict = verify({ bound, input, decisions: change.decisions })
  if (verdict.outcome === 'needs-human') throw new TypeError(`${change.id} has no approval and is not applied`)
  if (verdict.outcome === 'refused') return verdict.failure
  return draft === undefined || hasChanged(change, draft) ? stale : undefined
}

/** What is known before the line: the entry that the catalog file is to hold, or why the change cannot be applied. */
interface Prepared {
  readonly entry?: Sealed
  readonly failure?: Failure
}

const prepare = async (deps: ApplyDeps, change: Change, judged: Evaluation): Promise<Prepared> => {
  const failure = obstacle(change, judged)
  if (failure !== undefined) return { failure }
  const registration = registered(change, deps.secrets)
  if (registration === undefined) return {}
  try {
    return { entry: await prepareEntry(deps, registration) }
  } catch (error) {
    if (isServiceError(error) && error.code === 'conflict') return { failure: { rule: 'catalog-conflict', reason: error.detail } }
    throw error
  }
}

const serialize = <T>({ lock }: ApplyDeps, { kind }: Change, act: () => Promise<T>): Promise<T> => {
  const { serializedBy } = kindTable[kind]
  return serializedBy === null ? act() : lock(serializedBy, act)
}

/** Whose approval was given and does not count any more. */
const lostApprovers = (change: Change, standing: ReadonlySet<string>): string[] =>
  [...approversOf(change)].filter((person) => !standing.has(person))

interface Attempt {
  readonly actor: Actor
  readonly change: Change
  readonly judged: Reevaluation
}

/** The line of an attempt that nothing stops. */
const attemptLine = (deps: ApplyDeps, subject: Attempt, { entry, failure }: Prepared): JournalInput => {
  const { change, judged } = subject
  if (failure !== undefined) return changeLine('apply-failed', subject, { digest: change.digest, failure })
  const at = new Date(deps.clock()).toISOString()
  const effect = judged.bound.apply(judged.shown, { changeID: change.id, at })
  const whole = entry === undefined ? effect : { ...effect, entry }
  return changeLine('apply', subject, { digest: change.digest, at, effect: whole, sessions: affectedSessions(deps.sessions, change) })
}

/** The line itself, or that the change is held again because too few approvals stand. Called when the line is about to be written. */
const unlessReopened = (deps: ApplyDeps, change: Change, line: JournalInput): JournalInput => {
  const standing = validApprovers(deps, change)
  const needed = deps.boot.approvals
  if (standing.size >= needed) return line
  const reopened = { needed, given: standing.size, lost: lostApprovers(change, standing) }
  return changeLine('rebased', { actor: systemActor, change }, { reopened })
}

/** The line stands: what the catalog file cannot be given now, it is given as soon as it can be written. */
const enforce = async (deps: ApplyDeps, change: Change): Promise<void> => {
  const name = registered(change, deps.secrets)?.name
  if (name === undefined) return
  await enforceEntry(deps, name).catch((error: unknown) => {
    deps.log.error('the catalog file does not hold the entry of an applied change yet', { change: change.id, error })
    deps.retry()
  })
}

/** False where nothing may be done now. */
const applyOnce = async (deps: ApplyDeps, actor: Actor, change: Change): Promise<boolean> => {
  const judged = await reevaluate(deps, change)
  // A freeze stops what gives power. What only takes it away must not wait for the end of the freeze.
  const isNarrowing = isOnlyTaking(judged)
  const mayGoOn = (): boolean => isNarrowing || deps.freezes.of(change.agentGroupID) === undefined
  if (!mayGoOn()) return false
  const line = attemptLine(deps, { actor, change, judged }, await prepare(deps, change, judged))
  // Freeze and approvals count as they are when the journal is written, whatever was waited for.
  const [written] = await deps.ledger.commit(() => (mayGoOn() ? [unlessReopened(deps, change, line)] : []))
  if (written?.stage === 'apply') await enforce(deps, change)
  return written !== undefined
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
    if (await serialize(deps, change, () => applyOnce(deps, actor, change))) stop()
  } catch (error) {
    deps.log.error('an approved change could not be applied yet', { change: change.id, error })
    deps.retry()
  }
  return readChange(deps, change.id)
}

/** Applies what was approved and could not be applied: verified again, and only if it is still what was approved. */
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

/** One that cannot be understood keeps no other from being applied. */
const readable = ({ log }: ApplyDeps, row: ChangeRow & { readonly id: string }): Change[] => {
  try {
    return [toChange(row)]
  } catch (error) {
    log.error('an approved change cannot be read, and is not applied', { change: row.id, error })
    return []
  }
}

/** Resolves with how many are left, but for those that a freeze holds back. */
export const applyApproved = async (deps: ApplyDeps): Promise<number> => {
  await deps.ledger.settle()
  const rows = await deps.store.read.all<ChangeRow & { readonly id: string }>(
    `SELECT id, record FROM changes WHERE state = 'approved' ORDER BY id`,
  )
  const changes = rows.flatMap((row) => readable(deps, row))
  const frozen = new Map(changes.map(({ agentGroupID }) => [agentGroupID, deps.freezes.of(agentGroupID)]))
  // A freeze that is lifted meanwhile ends with the next run: else later changes would overtake those that it held back.
  const freezes = { of: (agentGroupID: AgentGroupID) => frozen.get(agentGroupID) ?? deps.freezes.of(agentGroupID) }
  let left = 0
  for (const { agentGroupID, id } of changes) {
    const after = await deps.lock(agentGroupID, () =>
      deps.lock(changeLock(id), async () => apply({ ...deps, freezes }, systemActor, await readChange(deps, id))),
    )
    if (after.state === 'approved' && deps.freezes.of(agentGroupID) === undefined) left += 1
  }
  return left
}
