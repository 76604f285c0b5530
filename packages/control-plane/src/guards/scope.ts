// Restricts tokens that are limited to some groups. Everything else appears not to exist.
import { type AgentGroupID, type Principal, ServiceError } from '@gatehouse/contracts'
import type { MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'

/** Data without a group is only visible to unrestricted principals. */
export const sees = ({ groups }: Principal, agentGroupID: string | undefined): boolean =>
  groups === undefined || groups.some((group) => group === agentGroupID)

export const requireGroup = (principal: Principal, agentGroupID: string): void => {
  if (sees(principal, agentGroupID)) return
  throw new ServiceError('not-found', { detail: `there is no agent group ${agentGroupID}`, hint: 'list the groups' })
}

/** The requested groups that the principal can see; undefined for all. */
export const groupsOf = ({ groups }: Principal, wanted: AgentGroupID | undefined): AgentGroupID[] | undefined => {
  if (wanted === undefined) return groups
  return groups === undefined || groups.includes(wanted) ? [wanted] : []
}

/** Refuses routes of tool servers on a unit without them. */
export const toolServersGuard: MiddlewareHandler<Env> = async (c, next) => {
  if (c.var.unit.boot.mcp !== null) return next()
  throw new ServiceError('mcp-disabled', {
    detail: 'this unit has no tool servers: it was started without --mcp-catalog',
    hint: 'start the unit with --mcp-catalog <path>',
  })
}
