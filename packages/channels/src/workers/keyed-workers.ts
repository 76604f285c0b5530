// Workers by key: keys are processed concurrently, pause after a failure, and wake when there may be new work.
import { setTimeout as pause } from 'node:timers/promises'
import { isServiceError, limits } from '@gatehouse/contracts'
import { backoff, type Backoff } from '@gatehouse/kernel'

export interface RetryOptions {
  /** Milliseconds. Defaults are in `limits`. */
  readonly retryFirst?: number
  readonly retryMost?: number
}

/** Finds pending work and opens workers for it. Resolves to whether it saw all of it. Never rejects. */
export type FindWork = () => Promise<boolean>

interface Rest {
  readonly whole: NodeJS.Timeout
  /** Set while the service requested a pause: nothing ends the rest earlier. */
  silence: NodeJS.Timeout | undefined
  isWoken: boolean
}

export class KeyedWorkers<K> {
  readonly #options: RetryOptions
  readonly #findWork: FindWork
  readonly #stopping = new AbortController()
  readonly #running = new Map<K, Promise<void>>()
  /** Keys that are waiting for their next attempt. */
  readonly #resting = new Map<K, Rest>()
  readonly #delays = new Map<K, Backoff>()
  #isWoken = false
  #search: Promise<void> | undefined
  #next: NodeJS.Timeout | undefined

  constructor(findWork: FindWork, options: RetryOptions) {
    this.#findWork = findWork
    this.#options = options
  }

  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** Number of open workers. */
  get size(): number {
    return this.#running.size
  }

  /** Keys that are being processed or are waiting. */
  taken(): K[] {
    return [...this.#running.keys(), ...this.#resting.keys()]
  }

  /** There may be new work. */
  wake(): void {
    this.#isWoken = true
    if (this.#search !== undefined || this.signal.aborted) return
    clearTimeout(this.#next)
    this.#isWoken = false
    this.#search = this.#runSearch().finally(() => {
      this.#search = undefined
      if (this.#isWoken) this.wake()
    })
  }

  /** Ends all waiting, except pauses that a service requested. */
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
    await Promise.all([this.#search, ...this.#running.values()])
  }

  isFree(key: K): boolean {
    return !this.#running.has(key) && !this.#resting.has(key) && !this.signal.aborted
  }

  /** @param work never rejects; `ended` is called when the key is free again */
  open(key: K, work: () => Promise<void>, ended: () => void): void {
    const lane = work().finally(() => {
      this.#running.delete(key)
      ended()
    })
    this.#running.set(key, lane)
  }

  /** Opens nothing for this key during that time. @param silence milliseconds that `wakeAll` does not shorten */
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

  /** Waits longer after each consecutive failure. @param silence milliseconds that the service requested */
  retry(key: K, silence = 0): void {
    const { retryFirst = limits.channelRetryFirst, retryMost = limits.channelRetryMost } = this.#options
    const delays = this.#delays.get(key) ?? backoff({ first: retryFirst, most: retryMost })
    this.#delays.set(key, delays)
    this.rest(key, delays.next(), silence)
  }

  /** Resets the failure count of this key. */
  settle(key: K): void {
    this.#delays.delete(key)
  }

  #endRest(key: K, { whole, silence }: Rest): void {
    clearTimeout(whole)
    clearTimeout(silence)
    this.#resting.delete(key)
  }

  /** A failed key that is no longer found was completed elsewhere or is gone. */
  async #runSearch(): Promise<void> {
    const free = [...this.#delays.keys()].filter((key) => this.isFree(key))
    if (!(await this.#findWork())) return
    for (const key of free) if (this.isFree(key)) this.#delays.delete(key)
  }
}

/** Looks for work and does it by key: woken when there may be something, stopped as a whole. */
export abstract class Dispatcher<K> {
  protected readonly workers: KeyedWorkers<K>

  constructor(options: RetryOptions) {
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

/** Codes after which it is unknown whether the record was stored. Storing it is idempotent. */
const transientCodes = new Set(['unavailable', 'deadline'])

/** Rejects when the signal aborts, or with an error that retrying does not fix. */
export const retryUntilStored = async <T>(
  note: () => Promise<T>,
  { signal, ...options }: RetryOptions & { readonly signal: AbortSignal },
): Promise<T> => {
  const { retryFirst = limits.channelRetryFirst, retryMost = limits.channelRetryMost } = options
  const delays = backoff({ first: retryFirst, most: Math.min(retryMost, limits.connectTime) })
  for (;;) {
    try {
      return await note()
    } catch (error) {
      if (signal.aborted || !isServiceError(error) || !transientCodes.has(error.code)) throw error
      await pause(delays.next(), undefined, { signal })
    }
  }
}
