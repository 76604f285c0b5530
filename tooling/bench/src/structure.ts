// What documents that are built to keep a parser busy cost the neighbours, beside a flat text of the same size: at each border, by
// turns of three seconds, and what each document costs the process that reads it. `pnpm bench structure [--quick] [--costs] [--border WORD]`;
// `--costs` leaves the neighbours out.
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { runDirectoryOf, startUnit, type Unit, waitFor } from '@gatehouse/end-to-end'
import { jsonShapes } from '@gatehouse/end-to-end/json-shapes'
import { execa } from 'execa'
import { cpuOf } from './cpu.ts'
import { askInTurn, grant, throughBroker } from './broker/unit.ts'
import { atEase, type Ease, measureByTurns, type Noise } from './by-turns.ts'
import { type Figures, printTable } from './measure.ts'
import { pss } from './memory.ts'
import { type Border, bordersOf, modelPath, shapesServer } from './structure/borders.ts'

const sessions = 4
/** Milliseconds from one document to the next, where the first has ended by then. */
const pace = 100

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const startServer = async () => {
  const child = execa(process.execPath, [shapesServer, 'http'], { stdin: 'pipe', buffer: false })
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return { port: Number(port), end: () => child.stdin.end() }
}

const openUnit = async (port: number): Promise<Unit> => {
  const env = {
    SERVICE_MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`,
    SERVICE_MODEL_API_KEY: 'sk-a-key-of-a-benchmark-0123456789abcdef0123456789',
  }
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'error'], env })
  const { servers, changes, chat } = unit.client
  await servers.put('shapes', { transport: 'stdio', command: process.execPath, args: [shapesServer] })
  await servers.put('remote', { transport: 'http', url: `http://127.0.0.1:${port}/mcp` })
  await servers.put('events', { transport: 'http', url: `http://127.0.0.1:${port}/events` })
  for (const server of ['sample', 'shapes', 'remote', 'events']) await grant(unit, server)
  const after = { id: 'bench', name: 'Bench', agent: 'model', model: { provider: 'compatible', id: 'm' } } as const
  const { id } = await changes.submit({ kind: 'agent_create', agentGroupID: 'bench', after })
  await changes.decide(id, { outcome: 'approve', decidedBy: 'bench' })
  for (const agentGroupID of ['dev-agent', 'bench'])
    for (let at = 0; at < sessions; at += 1) await chat.send({ agentGroupID, conversationId: `c${at}`, text: 'hello' })
  return unit
}

const socketsOf = async (unit: Unit, agentGroupID: string, kind: 'tools' | 'model' | 'session'): Promise<readonly string[]> => {
  const folder = join(await runDirectoryOf(unit), kind)
  return waitFor(`the sockets of ${agentGroupID}`, 60_000, async () => {
    const own = (await unit.client.sessions.list()).items.filter((session) => session.agentGroupID === agentGroupID)
    const there = await readdir(folder).catch((): string[] => [])
    const found = own.map(({ id }) => id).filter((id) => there.includes(id))
    return found.length === sessions ? found.map((id) => join(folder, id, `${kind}.sock`)) : undefined
  })
}

/** One document after the other. */
const noiseOf =
  ({ send }: Border, shape: string): Noise =>
  async () => {
    const act = send(shape)
    const over = new AbortController()
    const run = async (): Promise<void> => {
      while (!over.signal.aborted) await Promise.all([act(), pause(pace)])
    }
    const running = run()
    await pause(pace)
    return async () => {
      over.abort()
      await running
    }
  }

type Acts = Readonly<Record<Border['neighbour'], () => Promise<unknown>>>

interface Effort {
  readonly turns: number
  readonly ease: Ease
  /** For the processor time of one. */
  readonly documents: number
}

/** Neighbours that pause between their calls; a turn of the whole takes about three seconds. */
const efforts: Readonly<Record<'quick' | 'whole', Effort>> = {
  quick: { turns: 1, ease: { count: 250, callers: 4, between: 10 }, documents: 10 },
  whole: { turns: 7, ease: { count: 1_000, callers: 4, between: 10 }, documents: 30 },
}

/** Milliseconds of the process's own processor time for one document: the same on a busy machine as on a quiet one. */
const costOf = async (act: () => Promise<unknown>, pid: number, count: number): Promise<number> => {
  await act()
  const before = await cpuOf({ it: pid })
  for (let at = 0; at < count; at += 1) await act()
  return (((await cpuOf({ it: pid }))['it'] ?? 0) - (before['it'] ?? 0)) / 1_000 / count
}

const measureCosts = async (border: Border, unit: Unit, count: number): Promise<Record<string, number>> => {
  const pid = await unit.pidOf(border.process)
  const costs: Record<string, number> = {}
  for (const shape of Object.keys(jsonShapes)) costs[shape] = await costOf(border.send(shape), pid, count)
  say(`\n== ${border.name}: processor time of ${border.process} for one document, ms`)
  for (const [shape, cost] of Object.entries(costs))
    say(`${shape.padEnd(34)}${cost.toFixed(1).padStart(9)}   ÷ flat: ${(cost / (costs['flat'] ?? Number.NaN)).toFixed(2)}`)
  return costs
}

const measureBorder = async (border: Border, acts: Acts, { turns, ease }: Effort): Promise<Record<string, Figures>> => {
  const names = Object.keys(jsonShapes)
  const measure = async () => ({ calls: await atEase(acts[border.neighbour], ease) })
  await measure()
  const taken = await measureByTurns(
    names.map((shape) => noiseOf(border, shape)),
    measure,
    turns,
  )
  const figures: Record<string, Figures> = {}
  for (const [at, name] of names.entries()) {
    const calls = taken[at]?.['calls']
    if (calls !== undefined) figures[name] = calls
  }
  say(`\n== ${border.name}: calls of its neighbours`)
  printTable(Object.entries(figures))
  const flat = figures['flat']?.p99 ?? Number.NaN
  for (const [name, { p99 }] of Object.entries(figures).slice(1)) say(`${name} ÷ flat, p99: ${(p99 / flat).toFixed(2)} (target 1.20)`)
  return figures
}

interface Sockets {
  readonly tools: readonly string[]
  readonly model: readonly string[]
  readonly session: readonly string[]
}

const actsOf = async (unit: Unit, { tools, model, session }: Sockets): Promise<Acts> => {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true })
  const [askModel, askSession] = [askInTurn(model, modelPath), askInTurn(session, '/session')]
  return {
    tools: throughBroker({ unit, sockets: tools, brokerPid: await unit.pidOf('broker') }, 'sample').act,
    model: () => askModel({ body }),
    session: () => askSession({ method: 'GET' }),
    api: () => unit.client.groups.list(),
  }
}

const processes = ['broker', 'model-proxy', 'runner', 'control-plane'] as const

const memoryOf = async (unit: Unit): Promise<Record<string, number>> =>
  Object.fromEntries(await Promise.all(processes.map(async (name) => [name, await pss(await unit.pidOf(name))] as const)))

export const run = async (args: readonly string[] = []): Promise<object> => {
  const effort = efforts[args.includes('--quick') ? 'quick' : 'whole']
  const word = args[args.indexOf('--border') + 1] ?? ''
  const server = await startServer()
  const unit = await openUnit(server.port)
  try {
    const [toolsSocket = '', ...tools] = await socketsOf(unit, 'dev-agent', 'tools')
    const [modelSocket = '', ...model] = await socketsOf(unit, 'bench', 'model')
    const [sessionSocket = '', ...session] = await socketsOf(unit, 'dev-agent', 'session')
    const acts = await actsOf(unit, { tools, model, session })
    const borders = bordersOf({ unit, toolsSocket, modelSocket, sessionSocket })
    const before = await memoryOf(unit)
    const figures: Record<string, object> = {}
    for (const border of borders.filter(({ name }) => !args.includes('--border') || name.includes(word)))
      figures[border.name] = {
        costs: await measureCosts(border, unit, effort.documents),
        neighbours: args.includes('--costs') ? {} : await measureBorder(border, acts, effort),
      }
    await pause(5_000)
    const after = await memoryOf(unit)
    say('')
    for (const name of processes) say(`memory of ${name}: ${before[name]?.toFixed(0)} MiB before, ${after[name]?.toFixed(0)} MiB after`)
    return { borders: figures, memory: { before, after } }
  } finally {
    await unit.dispose()
    server.end()
  }
}
