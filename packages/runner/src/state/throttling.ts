// How long the limit on processor time held sandboxes back: it stops none, it slows them down. Measured when the metrics are read,
// and shown when they are read next: an engine that is slow to answer delays no metrics. What a sandbox was held back after the last
// measurement before its end is not counted.
import type { Sandbox } from '@gatehouse/engine'
import type { Logger, Metrics } from '@gatehouse/kernel'

type Watched = Pick<Sandbox, 'usage'>

export class Throttling {
  readonly #deps: { readonly metrics: Metrics; readonly log: Logger }
  /** Seconds that were counted, of each sandbox that runs. */
  readonly #counted = new Map<Watched, number>()

  constructor(deps: { readonly metrics: Metrics; readonly log: Logger }) {
    this.#deps = deps
  }

  add(sandbox: Watched): void {
    this.#counted.set(sandbox, 0)
  }

  remove(sandbox: Watched): void {
    this.#counted.delete(sandbox)
  }

  /** Returns at once. */
  measure(): void {
    for (const sandbox of this.#counted.keys())
      this.#measure(sandbox).catch((error: unknown) => this.#deps.log.debug('counters of a sandbox not read', { error }))
  }

  async #measure(sandbox: Watched): Promise<void> {
    const seconds = (await sandbox.usage())?.throttledSeconds ?? 0
    const counted = this.#counted.get(sandbox)
    if (counted === undefined || seconds <= counted) return
    this.#counted.set(sandbox, seconds)
    this.#deps.metrics.counter('sandbox_cpu_throttled_seconds_total').inc(seconds - counted)
  }
}
