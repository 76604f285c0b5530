// What the decisions on a change amount to.
import type { Change, Decision } from '@gatehouse/contracts'

/** Principals whose approval is of the change as it is. @param counts whether who decided still counts */
export const approversOf = (
  { decisions, digest }: Pick<Change, 'decisions' | 'digest'>,
  counts: (decision: Decision) => boolean = () => true,
): ReadonlySet<string> =>
  new Set(
    decisions
      .filter((decision) => decision.outcome === 'approve' && decision.digest === digest && counts(decision))
      .map(({ principal }) => principal),
  )

/** As the line of the last approval says; from the decisions alone where there is none. */
export const tallied = (
  change: Change,
  { needed = change.approvals.needed, given = approversOf(change).size }: { needed?: number | undefined; given?: number | undefined } = {},
): Change => ({ ...change, approvals: { needed, given } })

export const rejectedBy = (change: Change, decision: Decision): Change => ({
  ...change,
  state: 'rejected',
  decisions: [...change.decisions, decision],
})

export const includes = ({ decisions }: Change, { principal, at, outcome, digest }: Decision): boolean =>
  decisions.some(
    (decision) => decision.principal === principal && decision.at === at && decision.outcome === outcome && decision.digest === digest,
  )
