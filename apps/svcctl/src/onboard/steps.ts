// The steps of the first run, in their order.
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { isServiceError, ServiceError } from '@gatehouse/contracts'
import { quoted } from '../doctor/check.ts'
import { stateDirectories } from '../journal/unit-directory.ts'
import { agent, approval, provider } from './agent.ts'
import { done, left, type Step, type Tour } from './step.ts'

/** Whether this unit can run an agent, and with which walls. */
const remedy = 'svcctl doctor'

const engine: Step = {
  name: 'engine',
  take: async ({ status }) => {
    const { sandbox } = await status()
    if (sandbox.status === 'off') return left('this unit launches no sandboxes: agents cannot run here, all else works', remedy)
    if (sandbox.status === 'refused') return left(`no sandbox can be launched: ${sandbox.reason ?? 'no reason was given'}`, remedy)
    if (sandbox.driver === 'none') return left('agents run without isolation, as programs of this host: only for trials', remedy)
    const walls = sandbox.missing.length === 0 ? 'all controls are active' : `missing controls: ${sandbox.missing.join(', ')}`
    return done(`${sandbox.engine ?? sandbox.driver} runs sandboxes, ${walls}`)
  },
}

/** The unit, and the token for it: without them there is no first run, so both end the tour and say what to type. */
const unit: Step = {
  name: 'unit',
  take: async ({ client }) => {
    const { status } = await client.ready()
    return done(status === 'ready' ? 'answers and is ready' : 'answers, and is not ready yet')
  },
}

/** A line that names the token of this host, where this user may read it. */
const tokenLine = async ({ environment }: Tour): Promise<string> => {
  for (const directory of stateDirectories(environment)) {
    const file = join(directory, 'admin-token')
    const readable = await access(file, constants.R_OK).then(
      () => true,
      () => false,
    )
    if (readable) return `export SERVICE_API_TOKEN_FILE=${quoted(file)}`
  }
  return 'export SERVICE_API_TOKEN_FILE=FILE, a file with the token that the unit printed on one line at its first start'
}

const token: Step = {
  name: 'token',
  take: async (tour) => {
    try {
      const { principal, open } = await tour.status()
      return done(open ? 'no token required: a development unit' : `you are ${principal.name}, with the role ${principal.role}`)
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'unauthorized') throw error
      throw new ServiceError('unauthorized', {
        detail: 'expected the token of this unit, got none or another',
        hint: await tokenLine(tour),
      })
    }
  },
}

/** The first tool server. An entry of the catalog grants no agent anything. */
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

const tool: Step = {
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

export const steps: readonly Step[] = [unit, token, engine, provider, agent, tool, approval]
