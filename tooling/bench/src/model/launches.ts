// From a message to the first reply of an agent that was not running, for each kind of sandbox, beside the engine's own start of a Node.
import { startUnit, type Unit } from '@gatehouse/end-to-end'
import { startProvider } from '@gatehouse/scripted-provider'
import { execa } from 'execa'

const rounds = 7
const deadline = 60_000

interface Sandbox {
  readonly name: string
  readonly flags: readonly string[]
  /** Starts a Node that does nothing, by the engine alone. */
  readonly bare: readonly string[]
}

const node = [process.execPath, '-e', '0'] as const
const sandboxes: readonly Sandbox[] = [
  { name: 'bubblewrap', flags: ['--sandbox', 'bubblewrap'], bare: ['bwrap', '--unshare-all', '--ro-bind', '/', '/', ...node] },
  {
    name: 'oci with runsc',
    flags: ['--sandbox', 'oci', '--sandbox-runtime', 'runsc'],
    bare: ['runsc', '--network=none', 'do', ...node],
  },
]

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const timesOf = async (act: (round: number) => Promise<unknown>): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    await act(round)
    times.push(performance.now() - start)
  }
  return median(times)
}

const firstReply = async ({ client }: Unit, agentGroupID: string, conversationId: string): Promise<void> => {
  await client.chat.send({ agentGroupID, conversationId, text: 'hello' })
  const end = performance.now() + deadline
  while (performance.now() < end) {
    const { messages } = await client.chat.messages(agentGroupID, { conversation: conversationId })
    if (messages.some(({ from }) => from === 'agent')) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`no reply in ${conversationId}`)
}

const create = async ({ client }: Unit, agent: 'mock' | 'model'): Promise<void> => {
  const more = agent === 'model' ? { model: { provider: 'compatible', id: 'scripted' } } : {}
  const { id } = await client.changes.submit({
    kind: 'agent_create',
    agentGroupID: agent,
    after: { id: agent, name: agent, agent, ...more },
  })
  await client.changes.decide(id, { outcome: 'approve', decidedBy: 'bench' })
}

const measure = async ({ flags, bare: [program = '', ...args] }: Sandbox, address: string) => {
  const bare = await timesOf(() => execa(program, args)).catch(() => undefined)
  const env = { SERVICE_MODEL_BASE_URL: `${address}/compatible/v1` }
  const unit = await startUnit({ flags: ['--dev', '--rate-limit', 'off', '--log-level', 'error', ...flags], env })
  try {
    for (const agent of ['mock', 'model'] as const) await create(unit, agent)
    const mock = await timesOf((round) => firstReply(unit, 'mock', `m${round}`))
    return { bare, mock, model: await timesOf((round) => firstReply(unit, 'model', `m${round}`)) }
  } finally {
    await unit.dispose()
  }
}

const shown = (value: number | undefined): string => (value === undefined ? 'not here' : `${value.toFixed(0)} ms`).padStart(9)

export const measureLaunches = async (): Promise<object> => {
  const provider = await startProvider()
  const found: Record<string, object> = {}
  try {
    for (const sandbox of sandboxes) {
      const { bare, mock, model } = await measure(sandbox, provider.address)
      found[sandbox.name] = { bare, mock, model }
      const line = `engine alone${shown(bare)}, first reply of a mock agent${shown(mock)}, of one with a model${shown(model)}`
      process.stdout.write(`cold, ${sandbox.name.padEnd(16)} ${line}\n`)
    }
  } finally {
    await provider.close()
  }
  return found
}
