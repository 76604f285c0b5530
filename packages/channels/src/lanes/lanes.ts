// What is worked on beside each other: one lane a key, a rest after a failure, and a look for more whenever something may be there.
import { limits } from '@gatehouse/contracts'
import { type Backoff, backoff } from '@gatehouse/kernel'

export interface LanesOptions {
  /** Milliseconds; default those of the limits. */
  readonly retryFirst?: number
  readonly retryMost?: number
}

export class Lanes<K> {
  readonly #options: LanesOptions
  /** Finds what is to be done, and opens lanes for it. */
  readonly #look: () => Promise<void>
  readonly #stopping = new AbortController()
  readonly #running = new Map<K, Promise<void>>()
  /** Keys that wait for their next attempt. */
  readonly #resting = new Map<K, NodeJS.Timeout>()
  readonly #delays = new Map<K, Backoff>()
  #wanted = false
  #looking: Promise<void> | undefined
  #next: NodeJS.Timeout | undefined

  constructor(look: () => Promise<void>, options: LanesOptions) {
    this.#look = look
    this.#options = options
  }

  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** Lanes that are open. */
  get size(): number {
    return this.#running.size
  }

  /** What is worked on or rests. */
  taken(): K[] {
    return [...this.#running.keys(), ...this.#resting.keys()]
  }

  /** Something may be to be done. */
  wake(): void {
    this.#wanted = true
    if (this.#looking !== undefined || this.signal.aborted) return
    clearTimeout(this.#next)
    this.#wanted = false
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined
      if (this.#wanted) this.wake()
    })
  }

  /** What waited for its time does not wait any more. */
  wakeAll(): void {
    this.#endRests()
    this.#resting.clear()
    this.wake()
  }

  wakeAfter(milliseconds: number): void {
    if (!this.signal.aborted) this.#next = setTimeout(() => this.wake(), milliseconds)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#next)
    this.#endRests()
    await Promise.all([this.#looking, ...this.#running.values()])
  }

  isFree(key: K): boolean {
    return !this.#running.has(key) && !this.#resting.has(key) && !this.signal.aborted
  }

  /** @param work never rejects; `ended` is told when the lane is free again */
  open(key: K, work: () => Promise<void>, ended: () => void): void {
    const lane = work().finally(() => {
      this.#running.delete(key)
      ended()
    })
    this.#running.set(key, lane)
  }

  /** Nothing is opened for this key meanwhile. */
  rest(key: K, milliseconds: number): void {
    if (this.signal.aborted) return
    const again = (): void => {
      this.#resting.delete(key)
      this.wake()
    }
    this.#resting.set(key, setTimeout(again, milliseconds))
  }

  /** Rests longer after each failure in a row. @param least milliseconds that somebody else asked for */
  retry(key: K, least = 0): void {
    const { retryFirst = limits.channelRetryFirst, retryMost = limits.channelRetryMost } = this.#options
    const delays = this.#delays.get(key) ?? backoff({ first: retryFirst, most: retryMost })
    this.#delays.set(key, delays)
    this.rest(key, Math.max(delays.next(), least))
  }

  /** The failures of this key are over. */
  settle(key: K): void {
    this.#delays.delete(key)
  }

  #endRests(): void {
    for (const timer of this.#resting.values()) clearTimeout(timer)
  }
}
