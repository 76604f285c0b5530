// What a tool server that misbehaves costs the callers of another one: their calls with it and without it, by turns.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Figures, figuresOf, printTable } from '../measure.ts'
import { askInTurn, type BenchUnit, grant, throughBroker } from './unit.ts'

const program = join(import.meta.dirname, '../../../../packages/broker/test/fixtures/hostile/stdio.ts')

/**
 * One of each sort: what is silent, dies, floods, lies, is large; in the answer to a call or in its list of tools. The first of each
 * has no fault: what a server costs its neighbours by being called, and by being started and listed.
 */
const faults: Readonly<Record<string, 'call' | 'list'>> = {
  'none, called': 'call',
  'none, started': 'list',
  'never-answers': 'call',
  'dies-mid-call': 'call',
  'floods-stdout': 'call',
  'stderr-flood': 'call',
  'pings-without-end': 'call',
  'wrong-ids': 'call',
  'invalid-json': 'call',
  'error-with-a-long-text': 'call',
  'line-of-100-MB': 'call',
  '10000-tools': 'list',
  'pages-without-end': 'list',
}

/** About a second each: a fault a second. */
const turns = 24
const callers = 4
/** How long one that does not come back is waited for before the next turn without it. */
const patience = 2_000
/** Milliseconds between two calls of a neighbour. */
const between = 4

type Act = () => Promise<unknown>

const openFault = async ({ unit, sockets }: BenchUnit, fault: string): Promise<Act> => {
  await unit.client.servers.put('hostile', { transport: 'stdio', command: process.execPath, args: [program, fault] })
  if (faults[fault] === 'list') return () => unit.client.servers.probe('hostile')
  await grant(unit, 'hostile')
  const ask = askInTurn(sockets, '/call')
  return () => ask({ body: JSON.stringify({ name: 'hostile__go', arguments: {} }) })
}

/** Callers who pause between their calls: what they wait for is the call, not a processor that they keep busy themselves. */
const sample = async (act: Act, count: number): Promise<Float64Array> => {
  const times = new Float64Array(count)
  let next = 0
  const caller = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      await pause(between)
      const start = performance.now()
      await act()
      times[at] = performance.now() - start
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return times
}

/** How the fault ends is no matter here. */
const beside = async (fault: Act, measure: () => Promise<Float64Array>): Promise<Float64Array> => {
  const ended = fault().catch(() => undefined)
  const times = await measure()
  await Promise.race([ended, pause(patience)])
  return times
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

/** Each figure by the second, and of these the one in the middle: a second that the machine itself held up says nothing of a fault. */
const bySecond = (seconds: readonly Float64Array[]): Figures => {
  const figures = seconds.map((times) => figuresOf(times))
  const middle = (of: keyof Figures): number => median(figures.map((figure) => figure[of]))
  return { p50: middle('p50'), p95: middle('p95'), p99: middle('p99'), rate: middle('rate') }
}

interface Seconds {
  readonly without: Float64Array[]
  readonly with: Float64Array[]
}

/** By turns, and each as often first. */
const measureBoth = async (fault: Act, measure: () => Promise<Float64Array>): Promise<Seconds> => {
  const seconds: Seconds = { without: [], with: [] }
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2 === 0) seconds.without.push(await measure())
    seconds.with.push(await beside(fault, measure))
    if (turn % 2 === 1) seconds.without.push(await measure())
  }
  return seconds
}

/** `count`: calls of the neighbour without each fault, and as many with it. */
export const measureHostile = async (bench: BenchUnit, count: number): Promise<object> => {
  const { act } = throughBroker(bench, 'sample')
  const measure = () => sample(act, Math.ceil(count / turns))
  await sample(act, count)
  const figures: Record<string, Figures> = {}
  for (const fault of Object.keys(faults)) {
    const seconds = await measureBoth(await openFault(bench, fault), measure)
    await bench.unit.client.servers.remove('hostile')
    figures[`without ${fault}`] = bySecond(seconds.without)
    figures[`beside ${fault}`] = bySecond(seconds.with)
  }
  printTable(Object.entries(figures))
  for (const fault of Object.keys(faults)) {
    const moved = (figures[`beside ${fault}`]?.p99 ?? Number.NaN) / (figures[`without ${fault}`]?.p99 ?? Number.NaN) - 1
    process.stdout.write(`${fault} moves a neighbour's p99 by ${(moved * 100).toFixed(0)} % (target 10)\n`)
  }
  return figures
}
