// Workers by key: keys are processed concurrently, with a pause after a failure, and woken when there may be new work.
import { setTimeout as pause } from 'node:timers/promises'
import { isServiceError, limits } from '@gatehouse/contracts'
import { backoff, type Backoff } from '@gatehouse/kernel'

export interface LanesOptions {
  /** Milliseconds; default those of the limits. */
  readonly retryFirst?: number
  readonly retryMost?: number
}

/** Finds what is to be done, and opens lanes for it. Whether it saw all of it; never rejects. */
export type Look = () => Promise<boolean>

interface Rest {
  readonly whole: NodeJS.Timeout
  /** While it runs somebody else wants silence: nothing ends the rest before. */
  silence: NodeJS.Timeout | undefined
  isWoken: boolean
}

export class KeyedWorkers<K> {
  readonly #options: LanesOptions
  readonly #look: Look
  readonly #stopping = new AbortController()
  readonly #running = new Map<K, Promise<void>>()
  /** Keys that wait for their next attempt. */
  readonly #resting = new Map<K, Rest>()
  readonly #delays = new Map<K, Backoff>()
  #wanted = false
  #looking: Promise<void> | undefined
  #next: NodeJS.Timeout | undefined

  constructor(look: Look, options: LanesOptions) {
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
    this.#looking = this.#lookAround().finally(() => {
      this.#looking = undefined
      if (this.#wanted) this.wake()
    })
  }

  /** What waited for its time does not wait any more, but for silence that somebody else asked for. */
  wakeAll(): void {
    for (const [key, rest] of this.#resting) {
      if (rest.silence === undefined) this.#endRest(key, rest)
      else rest.isWoken = true
    }
    this.wake()
  }

  wakeAfter(milliseconds: number): void {
    if (!this.signal.aborted) this.#next = setTimeout(() => this.wake(), milliseconds)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#next)
    for (const [key, rest] of this.#resting) this.#endRest(key, rest)
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

  /** Nothing is opened for this key meanwhile. @param silence milliseconds that `wakeAll` does not shorten */
  rest(key: K, milliseconds: number, silence = 0): void {
    if (this.signal.aborted) return
    const again = (): void => {
      this.#endRest(key, rest)
      this.wake()
    }
    const spoken = (): void => {
      rest.silence = undefined
      if (rest.isWoken) again()
    }
    const rest: Rest = {
      whole: setTimeout(again, Math.max(milliseconds, silence)),
      silence: silence > 0 ? setTimeout(spoken, silence) : undefined,
      isWoken: false,
    }
    this.#resting.set(key, rest)
  }

  /** Rests longer after each failure in a row. @param silence milliseconds that somebody else asked for */
  retry(key: K, silence = 0): void {
    const { retryFirst = limits.channelRetryFirst, retryMost = limits.channelRetryMost } = this.#options
    const delays = this.#delays.get(key) ?? backoff({ first: retryFirst, most: retryMost })
    this.#delays.set(key, delays)
    this.rest(key, delays.next(), silence)
  }

  /** The failures of this key are over. */
  settle(key: K): void {
    this.#delays.delete(key)
  }

  #endRest(key: K, { whole, silence }: Rest): void {
    clearTimeout(whole)
    clearTimeout(silence)
    this.#resting.delete(key)
  }

  /** What failed and is not found any more was done elsewhere, or is gone. */
  async #lookAround(): Promise<void> {
    const free = [...this.#delays.keys()].filter((key) => this.isFree(key))
    if (!(await this.#look())) return
    for (const key of free) if (this.isFree(key)) this.#delays.delete(key)
  }
}

/** Looks for work and does it by key: woken when there may be something, stopped as a whole. */
export abstract class Dispatcher<K> {
  protected readonly workers: KeyedWorkers<K>

  constructor(options: LanesOptions) {
    this.workers = new KeyedWorkers(() => this.look(), options)
  }

  /** There may be work. */
  wake(): void {
    this.workers.wake()
  }

  /** Work that waits for its next attempt no longer waits, unless a service asked for the pause. */
  wakeAll(): void {
    this.workers.wakeAll()
  }

  stop(): Promise<void> {
    return this.workers.stop()
  }

  /** Starts what is to be done. Resolves to whether it saw all of it; never rejects. */
  protected abstract look(): Promise<boolean>
}

/** With these it is not known whether it was noted, and noting it twice is as good as once. */
const passing = new Set(['unavailable', 'deadline'])

/** Rejects when the signal aborts, and with what does not pass by waiting. */
export const retryUntilStored = async <T>(
  note: () => Promise<T>,
  { signal, ...options }: LanesOptions & { readonly signal: AbortSignal },
): Promise<T> => {
  const { retryFirst = limits.channelRetryFirst, retryMost = limits.channelRetryMost } = options
  const delays = backoff({ first: retryFirst, most: Math.min(retryMost, limits.connectTime) })
  for (;;) {
    try {
      return await note()
    } catch (error) {
      if (signal.aborted || !isServiceError(error) || !passing.has(error.code)) throw error
      await pause(delays.next(), undefined, { signal })
    }
  }
}
