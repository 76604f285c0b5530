// The first approval: one tool of one server for the agent, which is the smallest thing that a human lets through.
import { isServiceError } from '@gatehouse/contracts'
import { carry } from './carry.ts'
import { done, left, type Step, type Tour } from './step.ts'

const toolOf = async ({ client, ask }: Tour, server: string): Promise<string | undefined> => {
  const { tools } = await client.servers.probe(server)
  const names = tools.map(({ name }) => name)
  const [first] = names
  if (first === undefined) return undefined
  const chosen = await ask(`Tool of ${server} for your agent, of ${names.slice(0, 12).join(', ')}`, first)
  return names.includes(chosen) ? chosen : first
}

const wish = async (tour: Tour, group: string): ReturnType<Step['take']> => {
  const { items } = await tour.client.servers.list()
  const server = items[0]?.name
  if (server === undefined) return left('there is no tool server to grant', 'svcctl mcp add NAME --command PROGRAM')
  if (tour.dryRun) return { state: 'would', detail: `would ask for one tool of ${server} for ${group}, and have you approve it` }
  try {
    const tool = await toolOf(tour, server)
    if (tool === undefined) return left(`${server} has no tools`, `svcctl mcp probe ${server}`)
    const after = { server, tools: [tool] }
    return await carry(tour, { kind: 'mcp_access', group, after, outcome: `${group} may call ${server}__${tool}` })
  } catch (error) {
    if (isServiceError(error) && (error.code === 'upstream-failed' || error.code === 'forbidden'))
      return left(`${server} could not be asked for its tools: ${error.detail}`, `svcctl mcp probe ${server}`)
    throw error
  }
}

export const approval: Step = {
  name: 'approval',
  take: async (tour) => {
    const { group } = tour
    if (group === undefined) return left('there is no agent yet to approve something for', 'svcctl onboard')
    if (!(await tour.status()).mcp.enabled) return left('there is no tool to approve: this unit has no tool servers')
    const known = (await tour.client.groups.list()).items.some(({ id }) => id === group)
    const grants = known ? (await tour.client.grants.list({ agentGroupID: group })).items : []
    const [grant] = grants
    if (grant !== undefined) return done(`${group} has a grant of ${grant.server}`)
    return await wish(tour, group)
  },
}
