// What a token that is limited to some groups may see. Everything else answers as if it did not exist.
import { type AgentGroupID, type Principal, ServiceError } from '@gatehouse/contracts'
import type { MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'

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

/** On a unit without tool servers their routes say so, and nothing else. */
export const toolServersGuard: MiddlewareHandler<Env> = async (c, next) => {
  if (c.var.unit.boot.mcp !== null) return next()
  throw new ServiceError('mcp-disabled', {
    detail: 'expected a unit with tool servers, got one that was started without --mcp-catalog',
    hint: 'start the unit with --mcp-catalog <path>',
  })
}
