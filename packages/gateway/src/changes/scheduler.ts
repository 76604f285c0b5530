// Periodic jobs, and a retry with backoff for work that failed.
import { limits } from '@gatehouse/contracts'
import { backoff, type Logger } from '@gatehouse/kernel'

export interface Scheduler {
  start(): void
  /** Resolves when a round that goes on has ended. */
  stop(): Promise<void>
}

export interface PeriodicJob {
  /** For the log. */
  readonly what: string
  readonly run: () => Promise<unknown>
}

/** @param every milliseconds */
export const createScheduler = ({ every, log }: { every: number; log: Logger }, acts: readonly PeriodicJob[]): Scheduler => {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const round = async (): Promise<void> => {
    for (const { what, run } of acts) await run().catch((error: unknown) => log.warn(`${what} failed`, { error }))
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

/** Comes back to work that could not be done, with growing pauses, until nothing is left. */
export interface Retry {
  /** There may be work left. */
  wake(): void
  /** Resolves when a run that goes on has ended; none begins afterwards. */
  stop(): Promise<void>
}

/** @param run resolves with how much is left */
export const createRetry = (run: () => Promise<number>, log: Logger): Retry => {
  const pauses = backoff({ first: limits.restartFirst, most: limits.restartMost })
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = false

  const attempt = async (): Promise<void> => {
    const left = await run().catch((error: unknown) => {
      log.warn('what waits could not be taken up again', { error })
      return 1
    })
    running = undefined
    if (left > 0) schedule()
    else pauses.reset()
  }
  const schedule = (): void => {
    if (stopped || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      // What woke it may have come behind what the present run has looked at.
      if (running === undefined) running = attempt()
      else schedule()
    }, pauses.next()).unref()
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
