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
import { enforceEntry, prepareEntry, getRegistration, type RegisterDeps } from '../catalog/register.ts'
import { parse } from '../input.ts'
import { kindTable } from '../kinds/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Sealed } from '../secrets.ts'
import { type Actor, changeLine, systemActor } from '../state/change-records.ts'
import { type ChangeRow, readChange, type ReadDeps, toChange } from '../state/changes.ts'
import { changeLock, type Lock } from '../state/lock.ts'
import type { OpenSessions } from '../state/sessions.ts'
import { type ApprovalDeps, listApprovers, validApprovers } from './approvals.ts'
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
  /** Schedules a retry of approved changes whose apply could not be written. */
  retry(): void
}

const stale: Failure = { rule: 'stale', reason: 'its target or its evidence changed after the approval' }

/** Whether it only removes access, so that it is applied during a freeze. */
const isNarrowing = ({ bound, input, draft }: Evaluation): boolean => draft !== undefined && bound.appliesUnderFreeze(input)

/** The reason why it cannot be applied as approved, if there is one. */
const findFailure = (change: Change, { bound, input, draft }: Evaluation): Failure | undefined => {
  const verdict = verify({ bound, input, decisions: change.decisions })
  if (verdict.outcome === 'needs-human') throw new TypeError(`${change.id} has no approval and is not applied`)
  if (verdict.outcome === 'refused') return verdict.failure
  return draft === undefined || hasChanged(change, draft) ? stale : undefined
}

/** The catalog entry to write, or the reason why the change cannot be applied. Known before the journal record is written. */
interface Prepared {
  readonly entry?: Sealed
  readonly failure?: Failure
}

const prepare = async (deps: ApplyDeps, change: Change, evaluation: Evaluation): Promise<Prepared> => {
  const failure = findFailure(change, evaluation)
  if (failure !== undefined) return { failure }
  const registration = getRegistration(change, deps.secrets)
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

/** People who approved the change but whose approval no longer counts. */
const lostApprovers = (change: Change, valid: ReadonlySet<string>): string[] =>
  [...listApprovers(change)].filter((person) => !valid.has(person))

interface Attempt {
  readonly actor: Actor
  readonly change: Change
  readonly evaluation: Reevaluation
}

/** The journal record of an attempt: applied, or failed. */
const buildRecord = (deps: ApplyDeps, subject: Attempt, { entry, failure }: Prepared): JournalInput => {
  const { change, evaluation } = subject
  if (failure !== undefined) return changeLine('apply-failed', subject, { digest: change.digest, failure })
  const at = new Date(deps.clock()).toISOString()
  const effect = evaluation.bound.apply(evaluation.shown, { changeID: change.id, at })
  const fullEffect = entry === undefined ? effect : { ...effect, entry }
  return changeLine('apply', subject, { digest: change.digest, at, effect: fullEffect, sessions: affectedSessions(deps.sessions, change) })
}

/**
 * The record itself, or one that holds the change again because too few approvals still count. Called when the record is about
 * to be written.
 */
const reopenIfUnapproved = (deps: ApplyDeps, change: Change, line: JournalInput): JournalInput => {
  const valid = validApprovers(deps, change)
  const needed = deps.boot.approvals
  if (valid.size >= needed) return line
  const reopened = { needed, given: valid.size, lost: lostApprovers(change, valid) }
  return changeLine('rebased', { actor: systemActor, change }, { reopened })
}

/** Writes the catalog file after the record. A failed write is retried. */
const enforce = async (deps: ApplyDeps, change: Change): Promise<void> => {
  const name = getRegistration(change, deps.secrets)?.name
  if (name === undefined) return
  await enforceEntry(deps, name).catch((error: unknown) => {
    deps.log.error('could not write the catalog entry of an applied change, will retry', { change: change.id, error })
    deps.retry()
  })
}

/** False if a freeze prevents it. */
const applyOnce = async (deps: ApplyDeps, actor: Actor, change: Change): Promise<boolean> => {
  const evaluation = await reevaluate(deps, change)
  // A freeze stops changes that add access. A change that only removes access must not wait for the end of the freeze.
  const appliesUnderFreeze = isNarrowing(evaluation)
  const mayProceed = (): boolean => appliesUnderFreeze || deps.freezes.of(change.agentGroupID) === undefined
  if (!mayProceed()) return false
  const line = buildRecord(deps, { actor, change, evaluation }, await prepare(deps, change, evaluation))
  // Freeze and approvals are checked again at the moment of the journal write.
  const [written] = await deps.ledger.commit(() => (mayProceed() ? [reopenIfUnapproved(deps, change, line)] : []))
  if (written?.stage === 'apply') await enforce(deps, change)
  return written !== undefined
}

/**
 * Applies an approved change, under the locks of the change and of its group. Approvals are counted again: if too few still
 * count, the change is held again. During a freeze, or if the effect cannot be written, it returns the change as `approved`
 * and retries later.
 */
export const apply = async (deps: ApplyDeps, actor: Actor, change: Change): Promise<Change> => {
  if (change.state !== 'approved') return change
  const stop = deps.metrics.histogram('gateway_apply_duration_seconds').startTimer({ kind: change.kind })
  try {
    if (await serialize(deps, change, () => applyOnce(deps, actor, change))) stop()
  } catch (error) {
    deps.log.error('could not apply an approved change, will retry', { change: change.id, error })
    deps.retry()
  }
  return readChange(deps, change.id)
}

export interface RetryDeps extends ApplyDeps {
  readonly lock: Lock
}

const assertFailed = (change: Change): void => {
  if (change.state === 'apply_failed') return
  throw new ServiceError('conflict', {
    detail: `${change.id} is ${change.state}: only a change whose apply failed can be retried`,
    hint: nextStep(change),
  })
}

/** Applies a change whose apply failed. It is verified again, and must still be what was approved. */
export const retryFailed = async (deps: RetryDeps, caller: Actor, request: { id: string; by?: string | undefined }): Promise<Change> => {
  const by = parse(Requester, request.by ?? `api:${caller.principal}`, '/by')
  const actor: Actor = { ...caller, by }
  const { agentGroupID } = await readChange(deps, request.id)
  return deps.lock(agentGroupID, async () => {
    await deps.ledger.settle()
    return deps.lock(changeLock(request.id), async () => {
      const change = await readChange(deps, request.id)
      assertFailed(change)
      await deps.ledger.commit([changeLine('retry', { actor, change }, { digest: change.digest })])
      return apply(deps, actor, await readChange(deps, change.id))
    })
  })
}

/** Skips a change that cannot be parsed, so that the others are applied. */
const parseRow = ({ log }: ApplyDeps, row: ChangeRow & { readonly id: string }): Change[] => {
  try {
    return [toChange(row)]
  } catch (error) {
    log.error('could not read an approved change, skipping it', { change: row.id, error })
    return []
  }
}

/** Applies all approved changes. Resolves with the number that is left, not counting those that a freeze stops. */
export const applyApproved = async (deps: ApplyDeps): Promise<number> => {
  await deps.ledger.settle()
  const rows = await deps.store.read.all<ChangeRow & { readonly id: string }>(
    `SELECT id, record FROM changes WHERE state = 'approved' ORDER BY id`,
  )
  const changes = rows.flatMap((row) => parseRow(deps, row))
  const frozen = new Map(changes.map(({ agentGroupID }) => [agentGroupID, deps.freezes.of(agentGroupID)]))
  // A freeze that is lifted during this run counts until the next one, so later changes do not overtake the frozen ones.
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
