// Streams of a model directly and through a session's socket, in one run: the first byte, throughput of 1 and of 100 streams, and
// what a stream costs the proxy. Beside them stands a pipe that looks at nothing, and how long an agent takes to its first reply.
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freshDirectory, runDirectoryOf, startUnit, type Unit, waitFor } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { cpuOf } from './cpu.ts'
import { figuresOf, type Figures, printTable } from './measure.ts'
import { type Ask, createAsk, type Wish } from './model/caller.ts'
import { measureLaunches } from './model/launches.ts'

const path = '/v1/chat/completions'
const rounds = 3
const sessions = 25
const streams = 100
const key = 'sk-a-key-of-a-benchmark-0123456789abcdef0123456789'

/** By turns, so that no session has more than its share. */
type Way = readonly Ask[]

const askOf = (way: Way, turn: number): Ask => {
  const ask = way[turn % way.length]
  if (ask === undefined) throw new Error('expected a way to ask')
  return ask
}

const startProvider = async () => {
  const child = execa(process.execPath, [join(import.meta.dirname, 'model/provider.ts')], { stdin: 'pipe', buffer: false })
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return { port: Number(port), end: () => child.stdin.end() }
}

const startPipe = async (port: number) => {
  const folder = await freshDirectory()
  const socketPath = join(folder, 'pipe.sock')
  const child = execa(process.execPath, [join(import.meta.dirname, 'model/pipe.ts'), socketPath, String(port)], {
    stdin: 'pipe',
    buffer: false,
  })
  await once(createInterface({ input: child.stdout }), 'line')
  const end = async (): Promise<void> => {
    child.stdin.end()
    await child
    await rm(folder, { recursive: true })
  }
  return { way: [createAsk({ socketPath }, path)], end }
}

const openUnit = async (port: number): Promise<Unit> => {
  const env = { SERVICE_MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, SERVICE_MODEL_API_KEY: key }
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'error'], env })
  const after = { id: 'bench', name: 'Bench', agent: 'model', model: { provider: 'compatible', id: 'm' } } as const
  const { id } = await unit.client.changes.submit({ kind: 'agent_create', agentGroupID: 'bench', after })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'bench' })
  for (let at = 0; at < sessions; at++) await unit.client.chat.send({ agentGroupID: 'bench', conversationId: `c${at}`, text: 'hello' })
  return unit
}

const socketsOf = async (unit: Unit): Promise<Way> => {
  const folder = join(await runDirectoryOf(unit), 'model')
  const names = await waitFor('the sockets of the sessions', 60_000, async () => {
    const found = await readdir(folder).catch((): string[] => [])
    return found.length === sessions ? found : undefined
  })
  return names.map((name) => createAsk({ socketPath: join(folder, name, 'model.sock') }, `/compatible${path}`))
}

const firstBytes = async (way: Way, size: number): Promise<Figures> => {
  const times: number[] = []
  const start = performance.now()
  for (let at = 0; at < 600; at++) {
    const { first } = await askOf(way, 0)({ events: 1, pace: 0, size })
    if (at >= 100) times.push(first)
  }
  return figuresOf(new Float64Array(times), (performance.now() - start) / 1_000)
}

/** Bytes a second of so many streams at the same time. */
const flow = async (way: Way, count: number, wish: Wish): Promise<number> => {
  const start = performance.now()
  const done = await Promise.all(Array.from({ length: count }, (_, turn) => askOf(way, turn)(wish)))
  return done.reduce((sum, { bytes }) => sum + bytes, 0) / ((performance.now() - start) / 1_000)
}

const rssOf = async (pid: number): Promise<number> =>
  Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)

/** What 100 streams of 50 events a second cost the proxy. */
const costs = async (unit: Unit, way: Way) => {
  const pid = await unit.pidOf('model-proxy')
  const events = 250
  const [before, rss] = [await cpuOf({ proxy: pid }), await rssOf(pid)]
  const start = performance.now()
  const flowing = flow(way, streams, { events, pace: 20, size: 100 })
  const middle = await new Promise<number>((resolve, reject) => setTimeout(() => void rssOf(pid).then(resolve, reject), 2_500))
  await flowing
  const seconds = (performance.now() - start) / 1_000
  const cpu = ((await cpuOf({ proxy: pid }))['proxy'] ?? 0) - (before['proxy'] ?? 0)
  return {
    cpuMicrosecondsPerEvent: cpu / (streams * events),
    cpuPercentOfOneCore: cpu / 10_000 / seconds,
    rssKibPerStream: (middle - rss) / streams,
    rssMib: middle / 1024,
    seconds,
  }
}

const best = async (act: () => Promise<number>): Promise<number> => {
  let most = 0
  for (let round = 0; round < rounds; round++) most = Math.max(most, await act())
  return most
}

interface Ways {
  readonly direct: Way
  readonly piped: Way
  readonly proxied: Way
}

const throughput = async ({ direct, piped, proxied }: Ways, count: number, wish: Wish) => {
  const of = (way: Way): Promise<number> => best(() => flow(way, count, wish))
  const [one, pipe, other] = [await of(direct), await of(piped), await of(proxied)]
  return { directMBs: one / 1e6, pipedMBs: pipe / 1e6, proxiedMBs: other / 1e6, ratio: other / one, pipeRatio: pipe / one }
}

const begins = async ({ direct, proxied }: Ways, size: number) => {
  const pair = { direct: await firstBytes(direct, size), proxied: await firstBytes(proxied, size) }
  return { ...pair, addedP50: pair.proxied.p50 - pair.direct.p50 }
}

const show = (line: string): void => void process.stdout.write(`${line}\n`)

const measure = async (unit: Unit, ways: Ways) => {
  const sizes = { '1 kB': 1_000, '20 kB': 20_000, '400 kB': 400_000 }
  const first: Record<string, Awaited<ReturnType<typeof begins>>> = {}
  for (const [name, size] of Object.entries(sizes)) first[name] = await begins(ways, size)
  printTable(
    Object.entries(first).flatMap(([name, { direct, proxied }]) => [
      [`first byte, ${name}, direct`, direct] as const,
      [`first byte, ${name}, proxied`, proxied] as const,
    ]),
  )
  const flows = {
    'one stream, as fast as it goes': await throughput(ways, 1, { events: 100_000, pace: 0, size: 100 }),
    '100 streams, as fast as they go': await throughput(ways, streams, { events: 2_000, pace: 0, size: 100 }),
    '100 streams of 50 events a second': await throughput(ways, streams, { events: 100, pace: 20, size: 100 }),
  }
  for (const [name, { directMBs, proxiedMBs, ratio, pipeRatio }] of Object.entries(flows))
    show(
      `${name.padEnd(38)}${directMBs.toFixed(1).padStart(9)} MB/s direct${proxiedMBs.toFixed(1).padStart(9)} MB/s proxied${(100 * ratio).toFixed(0).padStart(5)} %, a bare pipe ${(100 * pipeRatio).toFixed(0)} %`,
    )
  const cost = await costs(unit, ways.proxied)
  show(
    `100 paced streams: ${cost.cpuMicrosecondsPerEvent.toFixed(1)} µs of CPU an event, ${cost.cpuPercentOfOneCore.toFixed(0)} % of a core, ${cost.rssKibPerStream.toFixed(0)} KiB a stream`,
  )
  return { first, flows, cost }
}

export const run = async (): Promise<object> => {
  const provider = await startProvider()
  const pipe = await startPipe(provider.port)
  const unit = await openUnit(provider.port)
  try {
    const direct = [createAsk({ host: '127.0.0.1', port: provider.port }, path)]
    const streamed = await measure(unit, { direct, piped: pipe.way, proxied: await socketsOf(unit) })
    await unit.dispose()
    return { ...streamed, launches: await measureLaunches() }
  } finally {
    await unit.dispose()
    await pipe.end()
    provider.end()
  }
}
