// What a tool server that misbehaves costs the callers of another one: their calls beside it and beside one that behaves, by turns.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { atEase, measureByTurns, type Noise } from '../by-turns.ts'
import { type Figures, printTable } from '../measure.ts'
import { askInTurn, type BenchUnit, grant, throughBroker } from './unit.ts'

const program = join(import.meta.dirname, '../../../../packages/broker/test/fixtures/hostile/stdio.ts')

/** One of each: what is silent, dies, floods, lies, is large. */
const inAnAnswer = [
  'never-answers',
  'dies-mid-call',
  'floods-stdout',
  'stderr-flood',
  'pings-without-end',
  'wrong-ids',
  'invalid-json',
  'error-with-a-long-text',
  'line-of-100-MB',
]
/** Of a server that is started for it. */
const inItsList: ReadonlySet<string> = new Set(['10000-tools', 'pages-without-end'])

/** Their calls end at a deadline long after anything of them is under way: not waited for. */
const answerless: ReadonlySet<string> = new Set(['never-answers', 'wrong-ids', 'invalid-json'])

/** About a second each: a fault a second. */
const turns = 24
const callers = 4
/** How long what a fault set going is waited for, so that nothing of it falls into the next turn. */
const patience = 10_000
/** Milliseconds between two calls of a neighbour. */
const between = 4

type Act = () => Promise<unknown>

/** Adds the server of this fault, with it or without; gives what sets it going once. */
const open = async ({ unit, sockets }: BenchUnit, fault: string, name: 'harmless' | 'hostile'): Promise<Act> => {
  const args = [program, name === 'hostile' ? fault : 'none']
  await unit.client.servers.put(name, { transport: 'stdio', command: process.execPath, args })
  if (inItsList.has(fault)) return () => unit.client.servers.probe(name)
  await grant(unit, name)
  const ask = askInTurn(sockets, '/call')
  const call = () => ask({ body: JSON.stringify({ name: `${name}__go`, arguments: {} }) })
  return name === 'hostile' && answerless.has(fault) ? async () => void call().catch(() => undefined) : call
}

/** How the act ends is no matter here. */
const noiseOf =
  (act: Act): Noise =>
  async () => {
    const ended = act().catch(() => undefined)
    return () => Promise.race([ended, pause(patience)])
  }

const nothing: Act = () => Promise.resolve()

const percent = (from: Figures, to: Figures): string => `${((to.p99 / from.p99 - 1) * 100).toFixed(0)} %`

/** `count`: calls of the neighbour beside nobody, beside a server that behaves, and beside the same server with each fault. */
export const measureHostile = async (bench: BenchUnit, count: number): Promise<object> => {
  const { act } = throughBroker(bench, 'sample')
  const sample = (calls: number): Promise<Float64Array> => atEase(act, { count: calls, callers, between })
  const measure = async () => ({ calls: await sample(Math.ceil(count / turns)) })
  await sample(count)
  const figures: Record<string, Figures> = {}
  const moves: string[] = []
  for (const fault of [...inAnAnswer, ...inItsList]) {
    const acts = [nothing, await open(bench, fault, 'harmless'), await open(bench, fault, 'hostile')]
    const [alone, harmless, hostile] = (await measureByTurns(acts.map(noiseOf), measure, turns)).map(({ calls }) => calls)
    for (const name of ['harmless', 'hostile']) await bench.unit.client.servers.remove(name)
    if (alone === undefined || harmless === undefined || hostile === undefined) throw new Error('expected three figures')
    Object.assign(figures, { [`${fault}: nobody`]: alone, [`${fault}: one that behaves`]: harmless, [`${fault}: the fault`]: hostile })
    moves.push(
      `${fault} moves a neighbour's p99 by ${percent(harmless, hostile)} (target 10); a server without the fault by ${percent(alone, harmless)}`,
    )
  }
  printTable(Object.entries(figures))
  process.stdout.write(`${moves.join('\n')}\n`)
  return figures
}
