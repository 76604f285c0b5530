// Tool servers that cannot be reached.
import { isServiceError, type ServerView } from '@gatehouse/contracts'
import { type Check, pass, notAnswered, type Unit, warn } from './check.ts'

const listOf = async (unit: Extract<Unit, { reached: true }>): Promise<readonly ServerView[] | undefined> => {
  try {
    return (await unit.client.servers.list()).items
  } catch (error) {
    if (isServiceError(error) && error.code === 'mcp-disabled') return undefined
    throw error
  }
}

export const servers: Check = {
  name: 'servers',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const items = await listOf(found)
    if (items === undefined) return [pass('tool servers are off')]
    const down = items.filter(({ state }) => state?.status === 'down')
    if (down.length === 0) return [pass(`${items.length}, none is down`)]
    return down.map(({ name, state }) => warn(`${name} is down: ${state?.lastError ?? 'no reason is known'}`, `svcctl mcp probe ${name}`))
  },
}
