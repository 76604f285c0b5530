// Asynchronous primitives: serial queues, polling, waits that end on a signal, and retry backoff.
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '@gatehouse/contracts'

/** A queue that runs one task at a time, in call order. A failed task rejects its own call and does not affect later ones. */
export const createSerialQueue = (): (<T>(task: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const done = last.then(task)
    last = done.catch(() => undefined)
    return done
  }
}

/** A serial queue for each key. Tasks of one key run in call order; tasks of different keys run concurrently. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs a task after the earlier tasks of its key. A failed task rejects its own call and does not affect later ones. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(task)
    const turn = result.catch(() => undefined)
    this.#last.set(key, turn)
    try {
      return await result
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key)
    }
  }
}

export interface WaitOptions {
  /** What is being waited for, named in the error. */
  readonly what: string
  /** Milliseconds; default 30 s. */
  readonly deadline?: number
  /** Milliseconds between probes; default 10. */
  readonly every?: number
  readonly signal?: AbortSignal
}

/** Polls until `probe` returns a value other than undefined, null and false. Rejects with `deadline` after the timeout. */
export const waitFor = async <T>(
  probe: () => T | Promise<T>,
  { what, deadline = 30_000, every = 10, signal }: WaitOptions,
): Promise<Exclude<T, undefined | null | false>> => {
  const end = performance.now() + deadline
  for (;;) {
    const value = await probe()
    if (isPresent(value)) return value
    signal?.throwIfAborted()
    if (performance.now() >= end) throw new ServiceError('deadline', { detail: `expected ${what} within ${deadline} ms, got nothing` })
    await pause(every, undefined, signal === undefined ? {} : { signal })
  }
}

const isPresent = <T>(value: T): value is Exclude<T, undefined | null | false> => value !== undefined && value !== null && value !== false

export interface Backoff {
  /** The delay before the next attempt, in milliseconds. */
  next(): number
  /** Starts over, after a success. */
  reset(): void
}

/** Exponential backoff with full jitter: each delay is random between zero and a ceiling that doubles from `initial` to `max` milliseconds. */
export const backoff = (options: { first: number; most: number }): Backoff => {
  let ceiling = options.first
  return {
    next: () => {
      const pause = Math.random() * ceiling
      ceiling = Math.min(ceiling * 2, options.most)
      return pause
    },
    reset: () => {
      ceiling = options.first
    },
  }
}

/** Rejects with the reason of the signal as soon as it has aborted. The work itself continues. */
export const abortable = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([aborted.promise, work])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Calls a second time after a failure, because the connection may have ended with the first call. Only for idempotent calls. */
export const retryOnce = <T>(call: () => Promise<T>): Promise<T> => call().catch(call)

/** Whether the promise resolves within this many milliseconds. Rejects if it rejects. The timer does not keep the process alive. */
export const endsWithin = (promise: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  Promise.race([promise.then(() => true), pause(milliseconds, false, { ref: false })])
