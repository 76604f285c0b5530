// The first tool server. An entry of the catalog grants no agent anything.
import { isServiceError } from '@gatehouse/contracts'
import { quoted } from '../doctor/check.ts'
import { done, left, type Step, type Tour } from './step.ts'

const asLine = 'svcctl mcp add NAME --command PROGRAM'

const add = async (tour: Tour): ReturnType<Step['take']> => {
  const written = await tour.ask(
    'Program of a tool server with its arguments, such as "node /opt/notes/main.mjs"; nothing to go on without',
    '',
  )
  const [command, ...args] = written.split(' ').filter((word) => word !== '')
  if (command === undefined) return left('there is no tool server', asLine)
  const name = await tour.ask('Its label', 'notes')
  const line = ['svcctl mcp add', name, '--command', quoted(command), ...args.map((arg) => `--arg ${quoted(arg)}`)].join(' ')
  await tour.client.servers.put(name, { transport: 'stdio', command, args })
  return { state: 'now', detail: `the tool server ${name} is in the catalog`, type: line }
}

export const tool: Step = {
  name: 'tool',
  take: async (tour) => {
    const { mcp } = await tour.status()
    if (!mcp.enabled) return left('this unit has no tool servers', 'start the unit with --mcp-catalog FILE')
    const { items } = await tour.client.servers.list()
    if (items.length > 0) return done(`the catalog has ${items.map(({ name }) => name).join(', ')}`)
    if (tour.dryRun) return { state: 'would', detail: 'would ask for the program of a tool server, and add it', type: asLine }
    try {
      return await add(tour)
    } catch (error) {
      if (isServiceError(error) && error.code === 'forbidden') return left('adding a tool server needs the role admin', asLine)
      throw error
    }
  },
}
