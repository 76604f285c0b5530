// What something costs its neighbours: their acts without it and beside it, by turns, and of all turns the one in the middle.
import { setTimeout as pause } from 'node:timers/promises'
import { type Figures, figuresOf } from './measure.ts'

/** Begins to disturb; what it gives ends that. */
export type Noise = () => Promise<() => Promise<unknown>>

export interface Ease {
  /** Acts in all. */
  readonly count: number
  readonly callers: number
  /** Milliseconds between two acts of a caller. */
  readonly between: number
}

/** Callers who pause between their acts: what they wait for is the act, not a processor that they keep busy themselves. */
export const atEase = async (act: () => Promise<unknown>, { count, callers, between }: Ease): Promise<Float64Array> => {
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

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

/** Each figure by the turn, and of these the one in the middle: a turn that the machine itself held up says nothing of the noise. */
const inTheMiddle = (turns: readonly Float64Array[]): Figures => {
  const figures = turns.map((times) => figuresOf(times))
  const middle = (of: keyof Figures): number => median(figures.map((figure) => figure[of]))
  return { p50: middle('p50'), p95: middle('p95'), p99: middle('p99'), rate: middle('rate') }
}

type ByKind<T> = Readonly<Record<string, T>>

/** In each turn all noises one after the other, each as often first as last. For each noise the figures of each kind of neighbour. */
export const measureByTurns = async (
  noises: readonly Noise[],
  measure: () => Promise<ByKind<Float64Array>>,
  turns: number,
): Promise<ByKind<Figures>[]> => {
  const taken = noises.map((noise) => ({ noise, seconds: [] as ByKind<Float64Array>[] }))
  const order = [...taken]
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { noise, seconds } of order) {
      const hush = await noise()
      try {
        seconds.push(await measure())
      } finally {
        await hush()
      }
    }
    order.reverse()
  }
  return taken.map(({ seconds }) =>
    Object.fromEntries(
      Object.keys(seconds[0] ?? {}).map((kind) => [kind, inTheMiddle(seconds.flatMap((second) => second[kind] ?? []))] as const),
    ),
  )
}
