// Asynchronous primitives: serial queues, polling, and pauses between retries.
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '@gatehouse/contracts'

/** A queue that runs one act at a time, in the order of the calls. A failed act rejects its own call and stops no later one. */
export const inTurn = (): ((act: () => Promise<void>) => Promise<void>) => {
  let last: Promise<void> = Promise.resolve()
  return (act) => {
    const done = last.then(act)
    last = done.catch(() => undefined)
    return done
  }
}

/** A serial queue for each key. Acts of one key run in the order of the calls; acts of different keys run concurrently. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** A failed act rejects its own call and stops no later one. */
  async run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(act)
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
  /** Named in the error when the condition does not become true. */
  readonly what: string
  /** Milliseconds; default 30 s. */
  readonly deadline?: number
  /** Milliseconds between two probes; default 10. */
  readonly every?: number
  readonly signal?: AbortSignal
}

/** Polls until `probe` returns a value that is neither undefined, null nor false. Throws `deadline` when the time is over. */
export const waitFor = async <T>(
  probe: () => T | Promise<T>,
  { what, deadline = 30_000, every = 10, signal }: WaitOptions,
): Promise<Exclude<T, undefined | null | false>> => {
  const end = performance.now() + deadline
  for (;;) {
    const value = await probe()
    if (isThere(value)) return value
    signal?.throwIfAborted()
    if (performance.now() >= end) throw new ServiceError('deadline', { detail: `expected ${what} within ${deadline} ms, got nothing` })
    await pause(every, undefined, signal === undefined ? {} : { signal })
  }
}

const isThere = <T>(value: T): value is Exclude<T, undefined | null | false> => value !== undefined && value !== null && value !== false

export interface Backoff {
  /** Milliseconds to wait before the next attempt. */
  next(): number
  /** After a success. */
  reset(): void
}

/** Exponential backoff with full jitter: each pause is random between zero and a ceiling that doubles from `first` to `most` milliseconds. */
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
