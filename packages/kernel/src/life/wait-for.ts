// Waits for a condition, never for a time.
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '@gatehouse/contracts'

export interface WaitOptions {
  /** What is waited for, for the message when it does not come. */
  readonly what: string
  /** Milliseconds; default 30 s. */
  readonly deadline?: number
  /** Milliseconds between two looks; default 10. */
  readonly every?: number
  readonly signal?: AbortSignal
}

/** Gives the first value of `probe` that is neither undefined, null nor false; throws `deadline` when none came. */
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
