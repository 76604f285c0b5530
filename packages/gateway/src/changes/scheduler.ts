// Periodic jobs, and a retry with backoff for work that failed.
import { limits } from '@gatehouse/contracts'
import { backoff, type Logger } from '@gatehouse/kernel'

export interface Scheduler {
  start(): void
  /** Resolves when a running round has ended. */
  stop(): Promise<void>
}

export interface PeriodicJob {
  /** For the log. */
  readonly what: string
  readonly run: () => Promise<unknown>
}

/** @param every milliseconds */
export const createScheduler = ({ every, log }: { every: number; log: Logger }, jobs: readonly PeriodicJob[]): Scheduler => {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const round = async (): Promise<void> => {
    for (const { what, run } of jobs) await run().catch((error: unknown) => log.warn(`${what} failed`, { error }))
    running = undefined
  }
  return {
    start: () => {
      timer ??= setInterval(() => {
        running ??= round()
      }, every).unref()
    },
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}

/** Repeats failed work with growing delays until nothing is left. */
export interface Retry {
  /** Schedules a run: there may be work left. */
  wake(): void
  /** Resolves when a running attempt has ended. No further attempt starts. */
  stop(): Promise<void>
}

/** @param run resolves with the amount of work that is left */
export const createRetry = (run: () => Promise<number>, log: Logger): Retry => {
  const delays = backoff({ first: limits.restartFirst, most: limits.restartMost })
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = false

  const attempt = async (): Promise<void> => {
    const left = await run().catch((error: unknown) => {
      log.warn('retry of deferred work failed', { error })
      return 1
    })
    running = undefined
    if (left > 0) schedule()
    else delays.reset()
  }
  const schedule = (): void => {
    if (stopped || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      // The new work may have arrived after the running attempt read its list.
      if (running === undefined) running = attempt()
      else schedule()
    }, delays.next()).unref()
  }
  return {
    wake: schedule,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
