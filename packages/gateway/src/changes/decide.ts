// A person's decision on a change: an approval while it is pending, a rejection until it is applied. Exactly one outcome counts.
import { setTimeout as pause } from 'node:timers/promises'
import { type Change, type Digest, limits, ServiceError } from '@gatehouse/contracts'
import { findPerson, personBehind, storedPerson } from '../auth/persons.ts'
import { type Durability, getDurability } from '../ledger/append.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Actor, changeLine } from '../state/change-records.ts'
import { findChange, isUnapplied, readChange, type ReadDeps } from '../state/changes.ts'
import { changeLock, type Lock } from '../state/lock.ts'
import type { Tokens } from '../state/tokens.ts'
import { apply, type ApplyDeps } from './apply.ts'
import { assertChannelMayDecide, assertMayApprove, assertNotAlreadyApproved, rejectedBy, validApprovers } from './approvals.ts'
import { alreadyDecidedError, buildDecision, readVerdict, showAgain, type Verdict } from './decision.ts'
import { rebase } from './evaluate.ts'
import { expireIfOver } from './withdraw.ts'

const stale = (change: Change, digest: Digest): ServiceError =>
  new ServiceError('change-stale', {
    detail: `the target of ${change.id} or its evidence changed after it was shown`,
    hint: showAgain,
    extra: { digest },
  })

/** Approves a held change, under the locks of the change and of its group. Refuses an approval of another version. */
const approve = async (deps: ApplyDeps, actor: Actor, { change, verdict }: { change: Change; verdict: Verdict }): Promise<Change> => {
  const needed = deps.boot.approvals
  const subject = { actor, change }
  const { principal } = actor
  const [person, requester] = [findPerson(deps.tokens, principal), personBehind(deps.tokens, change)]
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
  const decision = buildDecision(verdict, { actor, ...storedPerson(deps.tokens, principal), digest, now: deps.clock() })
  await deps.ledger.commit([
    ...(rebased === undefined ? [] : [rebased.line]),
    changeLine('approve', subject, { decision, complete, needed, given }),
    ...(person === requester ? [changeLine('self-approved', subject, { digest })] : []),
  ])
  const approved = await readChange(deps, change.id)
  return complete ? apply(deps, actor, approved) : approved
}

export interface RejectDeps extends ReadDeps {
  readonly tokens: Pick<Tokens, 'named'>
  readonly ledger: Ledger
  readonly clock: () => number
}

/** Rejects a change that is not applied, even if the journal cannot be written. Under the lock of the change. */
const reject = async (
  deps: RejectDeps,
  actor: Actor,
  { change, verdict }: { change: Change; verdict: Verdict },
): Promise<Change & Durability> => {
  const decision = buildDecision(verdict, {
    actor,
    ...storedPerson(deps.tokens, actor.principal),
    digest: change.digest,
    now: deps.clock(),
  })
  const outcome = await deps.ledger.commitLate([changeLine('reject', { actor, change }, { decision })])
  const durability = getDurability(outcome)
  const stored = await findChange(deps.store.read, change.id).catch(() => undefined)
  if (stored === undefined || isUnapplied(stored)) {
    const rejected = rejectedBy(change, decision)
    deps.overlay.put(rejected)
    // A database that is behind the journal may not yet show that the change was applied.
    if (change.state === 'approved' && outcome.journaled && !outcome.stored)
      throw new ServiceError('unavailable', {
        detail: `${change.id} is rejected unless it was applied first: the database is behind the journal`,
        hint: 'read the change again later',
      })
    return { ...rejected, ...durability }
  }
  if (stored.state === 'rejected') return { ...stored, ...durability }
  throw alreadyDecidedError(stored)
}

export interface DecideDeps extends ApplyDeps {
  /** Locks by group: the configuration of a group does not change while its change is approved. */
  readonly lock: Lock
}

const assertShown = (change: Change, { digest }: Verdict): void => {
  if (digest === undefined || digest === change.digest) return
  throw new ServiceError('digest-mismatch', {
    detail: `the digest of ${change.id} is now ${change.digest}, not ${digest}`,
    hint: showAgain,
    extra: { digest: change.digest },
  })
}

/** A rejection must neither fail because the journal or the database cannot be written, nor wait for them for long. */
const settle = async ({ ledger, log }: DecideDeps, { outcome }: Verdict): Promise<void> => {
  if (outcome === 'approve') return ledger.settle()
  const settled = ledger
    .settle()
    .catch((error: unknown) => log.warn('rejecting a change while the database is behind the journal', { error }))
  await Promise.race([settled, pause(limits.lateWait, undefined, { ref: false })])
}

const decideLocked = (deps: DecideDeps, actor: Actor, verdict: Verdict): Promise<Change & Durability> =>
  deps.lock(changeLock(verdict.id), async () => {
    await settle(deps, verdict)
    const change = await expireIfOver(deps, await readChange(deps, verdict.id))
    if (verdict.outcome === 'approve' ? change.state !== 'held' : !isUnapplied(change)) throw alreadyDecidedError(change)
    assertChannelMayDecide(actor, change)
    assertShown(change, verdict)
    return verdict.outcome === 'approve' ? approve(deps, actor, { change, verdict }) : reject(deps, actor, { change, verdict })
  })

/** Records a decision. @param caller the edge and the authenticated principal */
export const decide = async (deps: DecideDeps, caller: Actor, input: Verdict): Promise<Change & Durability> => {
  const verdict = readVerdict(input)
  const actor: Actor = { ...caller, by: verdict.decidedBy }
  const { agentGroupID } = await readChange(deps, verdict.id)
  const act = (): Promise<Change & Durability> => decideLocked(deps, actor, verdict)
  return verdict.outcome === 'approve' ? deps.lock(agentGroupID, act) : act()
}
