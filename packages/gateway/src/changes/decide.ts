// A person's decision on a change: an approval while it is pending, a rejection until it is applied. Exactly one outcome counts.
import { setTimeout as pause } from 'node:timers/promises'
import { type Change, type Digest, limits, ServiceError } from '@gatehouse/contracts'
import { personBehind, personOf, storedPerson } from '../auth/persons.ts'
import { type Kept, keptOf } from '../ledger/append.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Actor, changeLine } from '../state/change-records.ts'
import { findChange, isUnapplied, readChange, type ReadDeps } from '../state/changes.ts'
import { changeLock, type Lock } from '../state/lock.ts'
import type { Tokens } from '../state/tokens.ts'
import { apply, type ApplyDeps } from './apply.ts'
import { assertChannelMayDecide, assertMayApprove, assertNotAlreadyApproved, rejectedBy, validApprovers } from './approvals.ts'
import { alreadyDecidedError, decisionOf, readVerdict, showAgain, type Verdict } from './decision.ts'
import { rebase } from './evaluate.ts'
import { expireIfOver } from './withdraw.ts'

/** A person's yes to a held change. What was approved is what is applied: a yes to something else is refused. */
const stale = (change: Change, digest: Digest): ServiceError =>
  new ServiceError('change-stale', {
    detail: `what ${change.id} would change, or its evidence, has moved since it was shown`,
    hint: showAgain,
    extra: { digest },
  })

/** Under the locks of the change and of its group. */
const approve = async (deps: ApplyDeps, actor: Actor, { change, verdict }: { change: Change; verdict: Verdict }): Promise<Change> => {
  const needed = deps.boot.approvals
  const subject = { actor, change }
  const { principal } = actor
  const [person, requester] = [personOf(deps.tokens, principal), personBehind(deps.tokens, change)]
  assertMayApprove({ change, principal, person, requester }, needed)
  const { rebased, risk } = await rebase(deps, actor, change)
  if (rebased !== undefined && verdict.digest !== undefined) {
    await deps.ledger.commit([rebased.line])
    throw stale(change, rebased.digest)
  }
  assertChannelMayDecide(actor, { id: change.id, risk })
  const digest = rebased?.digest ?? change.digest
  const others = validApprovers(deps, { ...change, digest })
  assertNotAlreadyApproved({ change, principal, person }, others)
  const given = others.size + 1
  const complete = given >= needed
  const decision = decisionOf(verdict, { actor, ...storedPerson(deps.tokens, principal), digest, now: deps.clock() })
  await deps.ledger.commit([
    ...(rebased === undefined ? [] : [rebased.line]),
    changeLine('approve', subject, { decision, complete, needed, given }),
    ...(person === requester ? [changeLine('self-approved', subject, { digest })] : []),
  ])
  const approved = await readChange(deps, change.id)
  return complete ? apply(deps, actor, approved) : approved
}

/** A person's no to a change that is not applied: it holds whether the journal can be written or not. */
export interface RejectDeps extends ReadDeps {
  readonly tokens: Pick<Tokens, 'named'>
  readonly ledger: Ledger
  readonly clock: () => number
}

/** Under the lock of the change. */
const reject = async (
  deps: RejectDeps,
  actor: Actor,
  { change, verdict }: { change: Change; verdict: Verdict },
): Promise<Change & Kept> => {
  const decision = decisionOf(verdict, { actor, ...storedPerson(deps.tokens, actor.principal), digest: change.digest, now: deps.clock() })
  const outcome = await deps.ledger.commitLate([changeLine('reject', { actor, change }, { decision })])
  const kept = keptOf(outcome)
  const stored = await findChange(deps.store.read, change.id).catch(() => undefined)
  if (stored === undefined || isUnapplied(stored)) {
    const rejected = rejectedBy(change, decision)
    deps.overlay.put(rejected)
    // A database that is behind may not know yet that the change was applied first.
    if (change.state === 'approved' && outcome.journaled && !outcome.stored)
      throw new ServiceError('unavailable', {
        detail: `${change.id} is rejected unless it was applied first: the database is behind the journal`,
        hint: 'read the change again in a moment',
      })
    return { ...rejected, ...kept }
  }
  if (stored.state === 'rejected') return { ...stored, ...kept }
  throw alreadyDecidedError(stored)
}

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
    if (verdict.outcome === 'approve' ? change.state !== 'held' : !isUnapplied(change)) throw alreadyDecidedError(change)
    assertChannelMayDecide(actor, change)
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
