// A person's yes to a held change. What was approved is what is applied: a yes to something else is refused.
import { type Change, type Digest, ServiceError } from '@gatehouse/contracts'
import { apply, type ApplyDeps } from './apply.ts'
import { type Actor, changeLine } from './lines.ts'
import { readChange } from './read.ts'
import { rebase } from './rebase.ts'
import { assertMayApprove, assertNotByHand, assertNotTwice } from './rights.ts'
import { stands, type StandingDeps } from './standing.ts'
import { approversOf } from './tally.ts'
import { decisionOf, showAgain, type Verdict } from './verdict.ts'

export interface ApproveDeps extends ApplyDeps, StandingDeps {
  readonly boot: ApplyDeps['boot'] & { readonly approvals: number }
}

const stale = (change: Change, digest: Digest): ServiceError =>
  new ServiceError('change-stale', {
    detail: `what ${change.id} would change, or its evidence, has moved since it was shown`,
    hint: showAgain,
    extra: { digest },
  })

/** Under the locks of the change and of its group. */
export const approve = async (
  deps: ApproveDeps,
  actor: Actor,
  { change, verdict }: { change: Change; verdict: Verdict },
): Promise<Change> => {
  const needed = deps.boot.approvals
  const subject = { actor, change }
  assertMayApprove(actor.principal, change, needed)
  const { rebased, risk } = await rebase(deps, actor, change)
  if (rebased !== undefined && verdict.digest !== undefined) {
    await deps.ledger.commit([rebased.line])
    throw stale(change, rebased.digest)
  }
  assertNotByHand(actor, { id: change.id, risk })
  const digest = rebased?.digest ?? change.digest
  const others = approversOf({ decisions: change.decisions, digest }, stands(deps))
  assertNotTwice(actor.principal, change, others)
  const given = others.size + 1
  const complete = given >= needed
  const decision = decisionOf(verdict, { actor, digest, now: deps.clock() })
  await deps.ledger.commit([
    ...(rebased === undefined ? [] : [rebased.line]),
    changeLine('approve', subject, { decision, complete, needed, given }),
    ...(change.principal === actor.principal ? [changeLine('self-approved', subject, { digest })] : []),
  ])
  const approved = await readChange(deps, change.id)
  return complete ? apply(deps, actor, approved) : approved
}
