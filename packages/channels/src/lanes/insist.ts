// What stands at a service is noted, however long it takes: done anew it would stand there twice.
import { setTimeout as pause } from 'node:timers/promises'
import { isServiceError, limits } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import type { LanesOptions } from './lanes.ts'

/** With these it is not known whether it was noted, and noting it twice is as good as once. */
const passing = new Set(['unavailable', 'deadline'])

/** Rejects when the signal aborts, and with what does not pass by waiting. */
export const insist = async <T>(
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
