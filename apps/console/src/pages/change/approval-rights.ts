// Who may approve a change, as far as the console can tell. Pure functions; the gateway checks again.
import { type ChangeView, kinds, reservedPrincipals, type Status } from '@gatehouse/contracts'

/** The admin token, or no token: it stands for the unit, not for a person. */
const isUnnamed = (principal: string): boolean => reservedPrincipals.some((name) => name === principal)

/** A token that an admin created counts as that admin. */
const personOf = (principal: string, person = principal): string => person

/** People who approved the change as it is, also those whose approval no longer counts. */
export const approversOf = ({ decisions, digest }: Pick<ChangeView, 'decisions' | 'digest'>): ReadonlySet<string> =>
  new Set(
    decisions
      .filter((decision) => decision.outcome === 'approve' && decision.digest === digest)
      .map(({ principal, person }) => personOf(principal, person)),
  )

/** A sentence that says why the reader may not approve this change; undefined where they may. The gateway decides. */
export const whyNotApprove = (change: Omit<ChangeView, 'conditions'>, status: Status | undefined): string | undefined => {
  if (status === undefined) return undefined
  const { name: me } = status.principal
  const person = personOf(status.principal.name, status.principal.person)
  const { needed } = change.approvals
  const isOwn = personOf(change.principal, change.person) === person
  const ownAllowed = needed === 1 && (isUnnamed(me) || kinds[change.kind].narrowing)
  if (isOwn && !ownAllowed) return 'You requested this change, so someone else must approve it.'
  const approvers = approversOf(change)
  // Fewer count than approved: an approval fell with its token. Whose it was, only the gateway knows.
  const allCount = change.approvals.given >= approvers.size
  return allCount && approvers.has(person) ? 'You approved it. Another person’s approval is still needed.' : undefined
}
