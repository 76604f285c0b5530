// A person's yes to a held change. What was approved is what is applied: a yes to something else is refused.
import { type Change, type Digest, ServiceError } from '@gatehouse/contracts'
import { apply, type ApplyDeps } from './apply.ts'
import { personBehind, personOf, storedPerson } from '../principals/person.ts'
import { type Actor, changeLine } from './lines.ts'
import { readChange } from './read.ts'
import { rebase } from './rebase.ts'
import { assertMayApprove, assertNotByHand, assertNotTwice } from './rights.ts'
import { standingApprovers } from './standing.ts'
import { decisionOf, showAgain, type Verdict } from './verdict.ts'

const stale = (change: Change, digest: Digest): ServiceError =>
  new ServiceError('change-stale', {
    detail: `what ${change.id} would change, or its evidence, has moved since it was shown`,
    hint: showAgain,
    extra: { digest },
  })

/** Under the locks of the change and of its group. */
export const approve = async (
  deps: ApplyDeps,
  actor: Actor,
  { change, verdict }: { change: Change; verdict: Verdict },
): Promise<Change> => {
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
  assertNotByHand(actor, { id: change.id, risk })
  const digest = rebased?.digest ?? change.digest
  const others = standingApprovers(deps, { ...change, digest })
  assertNotTwice({ change, principal, person }, others)
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
