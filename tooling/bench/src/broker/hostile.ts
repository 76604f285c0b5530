// What a tool server that misbehaves costs the callers of another one: their calls beside it and beside one that behaves, by turns.
import { once } from 'node:events'
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

const turns = 12
const callers = 4
/** Milliseconds between two calls of a neighbour, so that two thousand take about three seconds. */
const between = 4
/** Milliseconds from one fault to the next, where the first has ended by then. */
const pace = 1_000
/** Milliseconds after a server was put and taken away, and after its first call has started it: no turn shall feel these. */
const settling = 500

type Act = () => Promise<unknown>
type Name = 'harmless' | 'hostile'

/** What sets the fault going once; without it the same, and started as often. */
const actOf = async ({ unit, sockets }: BenchUnit, fault: string, name: Name): Promise<Act> => {
  if (inItsList.has(fault) || (fault === 'dies-mid-call' && name === 'harmless')) return () => unit.client.servers.probe(name)
  await grant(unit, name)
  const ask = askInTurn(sockets, '/call')
  const call = () => ask({ body: JSON.stringify({ name: `${name}__go`, arguments: {} }) })
  return name === 'hostile' && answerless.has(fault) ? async () => void call().catch(() => undefined) : call
}

/** How an act ends is no matter here. */
const goOn = async (act: Act, over: AbortSignal): Promise<void> => {
  const ended = once(over, 'abort')
  while (!over.aborted) await Promise.race([ended, Promise.all([act().catch(() => undefined), pause(pace)])])
}

/** Beside the server of this fault, with it or without. */
const noiseOf =
  (bench: BenchUnit, fault: string, name: Name): Noise =>
  async () => {
    const { servers } = bench.unit.client
    await servers.put(name, { transport: 'stdio', command: process.execPath, args: [program, name === 'hostile' ? fault : 'none'] })
    const act = await actOf(bench, fault, name)
    await pause(settling)
    const over = new AbortController()
    const going = goOn(act, over.signal)
    await pause(2 * settling)
    return async () => {
      over.abort()
      await going
      await servers.remove(name)
      await pause(settling)
    }
  }

const nobody: Noise = async () => async () => undefined

const percent = (from: Figures, to: Figures): string => `${((to.p99 / from.p99 - 1) * 100).toFixed(0)} %`

/** `count`: calls of a neighbour in each turn, beside nobody, beside a server that behaves, and beside the same server with each fault. */
export const measureHostile = async (bench: BenchUnit, count: number): Promise<object> => {
  const { act } = throughBroker(bench, 'sample')
  const measure = async () => ({ calls: await atEase(act, { count, callers, between }) })
  await measure()
  const figures: Record<string, Figures> = {}
  const moves: string[] = []
  for (const fault of [...inAnAnswer, ...inItsList]) {
    const noises = [nobody, noiseOf(bench, fault, 'harmless'), noiseOf(bench, fault, 'hostile')]
    const [alone, harmless, hostile] = (await measureByTurns(noises, measure, turns)).map(({ calls }) => calls)
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
