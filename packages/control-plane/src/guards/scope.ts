// What a token that is narrowed to groups may see. What lies outside does not exist for it.
import { type AgentGroupID, type Principal, ServiceError } from '@gatehouse/contracts'

/** What belongs to no group is for those alone who see all. */
export const sees = ({ groups }: Principal, agentGroupID: string | undefined): boolean =>
  groups === undefined || groups.some((group) => group === agentGroupID)

export const requireGroup = (principal: Principal, agentGroupID: string): void => {
  if (sees(principal, agentGroupID)) return
  throw new ServiceError('not-found', { detail: `there is no agent group ${agentGroupID}`, hint: 'list the groups' })
}

/** Those of the groups asked for that it sees; undefined for all. */
export const groupsOf = ({ groups }: Principal, wanted: AgentGroupID | undefined): AgentGroupID[] | undefined => {
  if (wanted === undefined) return groups
  return groups === undefined || groups.includes(wanted) ? [wanted] : []
}
