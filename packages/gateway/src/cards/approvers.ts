// The people of a channel whose decision on a change would count.
import type { Change, ChannelName, Member } from '@gatehouse/contracts'
import { assertMayApply, sees } from '../principals/scope.ts'
import { type IdentityDeps, principalOf, standing } from '../principals/identities.ts'
import { personBehind, personOfToken } from '../principals/person.ts'
import { hasRole } from '../principals/role.ts'

const mayApply = (...[principal, change]: Parameters<typeof assertMayApply>): boolean => {
  try {
    assertMayApply(principal, change)
    return true
  } catch {
    return false
  }
}

/** @param members of the group; none: it is open to everybody */
export const approversOn = (
  deps: IdentityDeps,
  change: Change,
  { channel, members }: { channel: ChannelName; members: readonly Member[] },
): string[] => {
  const hears = (user: string): boolean =>
    members.length === 0 || members.some((member) => member.channel === channel && member.user === user)
  const requester = personBehind(deps.tokens, change)
  const able = standing(deps).filter((token) => {
    const principal = principalOf(token)
    return (
      personOfToken(token) !== requester &&
      hasRole(token, 'approver') &&
      sees(principal, change.agentGroupID) &&
      mayApply(principal, change)
    )
  })
  return able.flatMap(({ identities = [] }) =>
    identities.filter((one) => one.channel === channel && hears(one.user)).map(({ user }) => user),
  )
}
