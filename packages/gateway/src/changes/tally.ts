// What the decisions on a change amount to.
import type { Change, Decision } from '@gatehouse/contracts'

/** Principals whose approval is of the change as it is. */
export const approversOf = ({ decisions, digest }: Pick<Change, 'decisions' | 'digest'>): ReadonlySet<string> =>
  new Set(decisions.filter((decision) => decision.outcome === 'approve' && decision.digest === digest).map(({ principal }) => principal))

export const tallied = (change: Change, needed = change.approvals.needed): Change => ({
  ...change,
  approvals: { needed, given: approversOf(change).size },
})

export const rejectedBy = (change: Change, decision: Decision): Change => ({
  ...change,
  state: 'rejected',
  decisions: [...change.decisions, decision],
})

export const includes = ({ decisions }: Change, { principal, at, outcome, digest }: Decision): boolean =>
  decisions.some(
    (decision) => decision.principal === principal && decision.at === at && decision.outcome === outcome && decision.digest === digest,
  )
