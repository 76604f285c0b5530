// A grant of one server's tools to a group: it replaces the one that the group has.
import { kinds } from '@gatehouse/contracts'
import { activeGrant, presentGroup } from '../registry/world.ts'
import { defineKind } from './kind.ts'
import { toolList } from './words.ts'

export const mcpAccess = defineKind({
  name: 'mcp_access',
  schema: kinds.mcp_access,
  narrowing: false,
  target: 'existing',
  slice: (after, world) => {
    const grant = activeGrant(world, after.server)
    return grant === undefined ? null : { server: grant.server, tools: grant.tools }
  },
  verify: (after, world) => {
    if (world.servers === null) {
      return { rule: 'mcp-disabled', reason: 'this unit has no tool servers: start it with --mcp-catalog' }
    }
    if (!world.servers.has(after.server)) {
      return { rule: 'server-not-configured', reason: `expected a configured tool server, got ${after.server}: configure it first` }
    }
    return undefined
  },
  wants: (after) => ({ server: after.server, tools: after.tools }),
  risk: (after, evidence) => {
    if (after.tools.length === 0 || evidence?.status !== 'observed' || evidence.missing.length > 0) return 'high'
    return evidence.tools.some((tool) => tool.annotations?.['destructiveHint'] === true) ? 'high' : 'medium'
  },
  describe: (after, world) => {
    const grant = activeGrant(world, after.server)
    const instead = grant === undefined ? '' : `, instead of ${toolList(grant.tools)}`
    return `Grants ${world.agentGroupID} ${toolList(after.tools)} of the tool server ${after.server}${instead}`
  },
  apply: (after, world, stamp) => ({
    type: 'grant',
    grant: {
      agentGroupID: presentGroup(world).id,
      server: after.server,
      tools: [...new Set(after.tools)],
      changeID: stamp.changeID,
      grantedAt: stamp.at,
      state: 'active',
    },
  }),
})
