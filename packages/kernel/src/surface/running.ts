// What is being answered now, so that a stop can wait for it.
import { setTimeout as pause } from 'node:timers/promises'

export class RunningExchanges {
  readonly #running = new Set<Promise<void>>()

  /** Never rejects by itself: the work handles its own errors. */
  add(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Resolves when none is left, or after this many milliseconds. */
  async settled(most: number): Promise<void> {
    await Promise.race([Promise.all(this.#running), pause(most, undefined, { ref: false })])
  }
}
