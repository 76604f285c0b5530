// What the decisions on a change amount to.
import type { Change, Decision } from '@gatehouse/contracts'

/** People whose approval is of the change as it is. */
export const approversOf = ({ decisions, digest }: Pick<Change, 'decisions' | 'digest'>): ReadonlySet<string> =>
  new Set(
    decisions
      .filter((decision) => decision.outcome === 'approve' && decision.digest === digest)
      .map(({ principal, person = principal }) => person),
  )

/** As the line of the last approval says; from the decisions alone where there is none. */
export const tallied = (
  change: Change,
  { needed = change.approvals.needed, given = approversOf(change).size }: { needed?: number | undefined; given?: number | undefined } = {},
): Change => ({ ...change, approvals: { needed, given } })

/** An end that people chose takes the place of an earlier failure. */
export const withoutFailure = ({ failure: _over, ...change }: Change): Change => change

export const rejectedBy = (change: Change, decision: Decision): Change => ({
  ...withoutFailure(change),
  state: 'rejected',
  decisions: [...change.decisions, decision],
})

export const includes = ({ decisions }: Change, { principal, at, outcome, digest }: Decision): boolean =>
  decisions.some(
    (decision) => decision.principal === principal && decision.at === at && decision.outcome === outcome && decision.digest === digest,
  )
