// Why this reader may not approve this change, in a sentence; the gateway has the last word.
import { type ChangeView, reservedPrincipals, type Status } from '@gatehouse/contracts'

/** The admin's token, or none at all: it stands for the house, not for a person. */
const isUnnamed = (principal: string): boolean => reservedPrincipals.some((name) => name === principal)

/** Kinds that only take power away. */
const narrowing: readonly ChangeView['kind'][] = ['mcp_revoke']

export const whyNotApprove = (change: ChangeView, status: Status | undefined): string | undefined => {
  const me = status?.principal.name
  if (me === undefined) return undefined
  const { needed } = change.approvals
  const isOwn = change.principal === me
  const ownAllowed = needed === 1 && (isUnnamed(me) || narrowing.includes(change.kind))
  if (isOwn && !ownAllowed) return 'You asked for this change yourself, so somebody else must approve it.'
  const mine = change.decisions.some(
    ({ outcome, principal, digest }) => outcome === 'approve' && principal === me && digest === change.digest,
  )
  return mine ? 'You have approved it. It waits for another person.' : undefined
}
