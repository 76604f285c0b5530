// What is being answered now, so that a stop can wait for it.
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds. A stop is that of the whole unit: who waits for an answer ends too. */
const lastMoment = 300

export class RunningExchanges {
  readonly #running = new Set<Promise<void>>()

  /** Never rejects by itself: the work handles its own errors. */
  add(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Gives them a moment, then has them given up. */
  async end(giveUp: () => void): Promise<void> {
    await this.#settled()
    giveUp()
    await this.#settled()
  }

  async #settled(): Promise<void> {
    await Promise.race([Promise.all(this.#running), pause(lastMoment, undefined, { ref: false })])
  }
}
