// A change as it is kept, and what its requester is told of it.
import { type Change, type ChangeID, ServiceError, type Submitted } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import type { Asked, Asker } from './examine.ts'
import type { ChangeIds } from './id.ts'

export interface ComposeDeps {
  readonly ids: ChangeIds
  readonly clock: Clock
  readonly boot: { readonly approvals: number; readonly changeTtl: number }
}

export interface Origin {
  readonly revertOf?: ChangeID | undefined
  readonly afterToolOutput?: boolean | undefined
}

const standing = ({ boot, clock }: ComposeDeps, { failure }: Asked, at: string): Pick<Change, 'state' | 'failure' | 'expiresAt'> => {
  if (failure !== undefined) return { state: 'refused', failure }
  const end = Date.parse(at) + boot.changeTtl
  // The time that it has left is counted from now on.
  clock.isPast(end)
  return { state: 'held', expiresAt: new Date(end).toISOString() }
}

/** `held`, or `refused` with the rule. */
export const compose = (deps: ComposeDeps, { asker, origin }: { asker: Asker; origin: Origin }, asked: Asked): Change => {
  const { bound, world, draft, reason } = asked
  const { id, at } = deps.ids.next()
  return {
    id,
    kind: bound.kind,
    agentGroupID: world.agentGroupID,
    requestedBy: asker.by,
    principal: asker.principal,
    ...(asker.person === undefined ? {} : { person: asker.person }),
    ...(reason === undefined ? {} : { reason }),
    after: bound.after,
    ...draft,
    createdAt: at,
    approvals: { needed: deps.boot.approvals, given: 0 },
    decisions: [],
    ...standing(deps, asked, at),
    ...(origin.revertOf === undefined ? {} : { revertOf: origin.revertOf }),
    ...(origin.afterToolOutput === undefined ? {} : { afterToolOutput: origin.afterToolOutput }),
  }
}

/** Throws `change-refused` for one that the verifier refused. */
export const outcomeOf = (change: Change): Submitted => {
  if (change.state !== 'refused') return { id: change.id, state: change.state, digest: change.digest }
  throw new ServiceError('change-refused', {
    detail: change.failure?.reason,
    extra: { changeID: change.id, ...(change.failure === undefined ? {} : { rule: change.failure.rule }) },
  })
}
