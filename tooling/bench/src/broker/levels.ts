// Several ways to the same tool, at several numbers of callers, by turns; each with the processor time of what stands between.
import { cpuOf } from '../cpu.ts'
import { type Figures, printTable, timed } from '../measure.ts'
import type { Way } from './way.ts'

export interface Effort {
  readonly warmUp: number
  readonly count: number
  readonly rounds: number
}

interface Measured extends Figures {
  /** Microseconds a call of the process in between. */
  readonly cpu: number | null
}

export type Level = Readonly<Record<string, Measured>>

const cpuNow = async (pid: number | undefined): Promise<number> =>
  pid === undefined ? Number.NaN : ((await cpuOf({ it: pid }))['it'] ?? Number.NaN)

const measure = async ({ act, pid }: Way, count: number, callers: number): Promise<Measured> => {
  const before = await cpuNow(pid)
  const figures = await timed(act, count, callers)
  const spent = ((await cpuNow(pid)) - before) / count
  return { ...figures, cpu: Number.isNaN(spent) ? null : spent }
}

/** Of several rounds the one with the least median. */
const bestOf = async (ways: readonly Way[], { count, rounds }: Effort, callers: number): Promise<Level> => {
  const best: Record<string, Measured> = {}
  for (let round = 0; round < rounds; round += 1) {
    for (const way of ways) {
      const measured = await measure(way, count, callers)
      const known = best[way.name]
      if (known === undefined || measured.p50 < known.p50) best[way.name] = measured
    }
  }
  return best
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const showLevel = (level: Level, [direct, hop, ours]: readonly [string, string, string]): number => {
  printTable(Object.entries(level))
  const p50 = (name: string): number => level[name]?.p50 ?? Number.NaN
  const ratio = p50(ours) / (p50(direct) + p50(hop))
  const cpu = Object.entries(level).flatMap(([name, { cpu }]) => (cpu === null ? [] : [`${name} ${cpu.toFixed(0)}`]))
  say(`CPU a call in between, µs: ${cpu.join(', ')}`)
  say(`ours ÷ (direct + hop), p50: ${ratio.toFixed(2)} (target 1.60)`)
  for (const [name, { p50: theirs }] of Object.entries(level))
    if (![direct, hop, ours].includes(name)) say(`ours ÷ ${name}, p50: ${(p50(ours) / theirs).toFixed(2)}`)
  return ratio
}

export const measureLevels = async (ways: readonly Way[], effort: Effort): Promise<object> => {
  for (const { act, name } of ways) {
    say(`warming up with ${effort.warmUp} calls: ${name}`)
    await timed(act, effort.warmUp, 4)
  }
  const names = ways.map(({ name }) => name)
  const results: Record<string, object> = {}
  for (const callers of [1, 16, 64]) {
    say(`\n${callers} caller${callers === 1 ? '' : 's'}`)
    const level = await bestOf(ways, effort, callers)
    results[callers] = { level, ratio: showLevel(level, [names[0] ?? '', names[1] ?? '', names[2] ?? '']) }
  }
  say('')
  return results
}
