// Rate limit for outgoing requests, by key, in FIFO order.
import { setTimeout as pause } from 'node:timers/promises'
import type { Pace } from '../channel.ts'

export class Pacer {
  /** Time at which the next request of each key would be due without a burst, in milliseconds. */
  readonly #due = new Map<string, number>()
  readonly #most = 10_000

  /** Rejects when the signal aborts. */
  async wait(key: string, { perSecond, burst }: Pace, signal: AbortSignal): Promise<void> {
    const now = performance.now()
    const step = 1000 / perSecond
    const due = Math.max(this.#due.get(key) ?? 0, now)
    this.#forget(now)
    this.#due.set(key, due + step)
    const delay = due - (burst - 1) * step - now
    if (delay > 0) await pause(delay, undefined, { signal })
  }

  /** Delays all requests of this key by at least this time. */
  hold(key: string, milliseconds: number): void {
    this.#due.set(key, Math.max(this.#due.get(key) ?? 0, performance.now() + milliseconds))
  }

  #forget(now: number): void {
    if (this.#due.size < this.#most) return
    for (const [key, due] of this.#due) if (due <= now) this.#due.delete(key)
  }
}
