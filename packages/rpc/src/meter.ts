// How long the calls of an edge take and what comes of them, as their caller sees it. Kept aside and counted when somebody reads, or
// when there are many: counting each at once would cost a lonely call as much as its validation.
import type { Code, Edge } from '@gatehouse/contracts'
import type { Metrics } from '@gatehouse/kernel'

export type CallMetrics = Pick<Metrics, 'counter' | 'histogram' | 'touch' | 'beforeCollect'>
type Outcome = 'ok' | Code

export interface Meter {
  /** `since` on the clock of `performance`. */
  note(outcome: Outcome, since: number): void
}

const most = 256
const nobody: Meter = { note: () => undefined }

type Count = (seconds: number) => void

/** The times of one outcome that are not counted yet. */
class Times {
  readonly #seconds = new Float64Array(most)
  readonly #count: Count
  #length = 0

  constructor(count: Count) {
    this.#count = count
  }

  add(seconds: number): void {
    this.#seconds[this.#length] = seconds
    this.#length += 1
    if (this.#length === most) this.flush()
  }

  flush(): void {
    for (const seconds of this.#seconds.subarray(0, this.#length)) this.#count(seconds)
    this.#length = 0
  }
}

/** One meter a method; each is shown at 0 from the start. */
export const createMeters = ({ name: edge, calls }: Edge, metrics: CallMetrics | undefined): ((method: string) => Meter) => {
  if (metrics === undefined) return () => nobody
  const durations = metrics.histogram('rpc_call_duration_seconds')
  const counts = metrics.counter('rpc_calls_total')
  const all: Times[] = []
  metrics.beforeCollect(() => {
    for (const times of all) times.flush()
  })
  for (const method of Object.keys(calls)) metrics.touch('rpc_calls_total', { edge, method, outcome: 'ok' })
  return (method) => {
    const outcomes = new Map<Outcome, Times>()
    const timesOf = (outcome: Outcome): Times => {
      const known = outcomes.get(outcome)
      if (known !== undefined) return known
      const times = new Times((seconds) => {
        counts.inc({ edge, method, outcome })
        durations.observe({ edge }, seconds)
      })
      outcomes.set(outcome, times)
      all.push(times)
      return times
    }
    return { note: (outcome, since) => timesOf(outcome).add((performance.now() - since) / 1000) }
  }
}
