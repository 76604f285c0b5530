// Schedules drift reviews: after each listing and each replaced entry, one at a time for each server.
import type { ServerName } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'

export interface DriftWatch {
  /** Resolves when the current definitions were reviewed, or the review failed; the next review then covers them. */
  look(server: ServerName): Promise<void>
  /** Resolves when no review is running, and cancels scheduled reviews. */
  settled(): Promise<void>
}

interface RunningReview {
  readonly now: Promise<void>
  next?: Promise<void>
}

/** @param review resolves with the milliseconds until the next review; 0 if none is needed */
export const createDriftWatch = (review: (server: ServerName) => Promise<number>, log: Logger): DriftWatch => {
  const servers = new Map<string, RunningReview>()
  const timers = new Map<string, NodeJS.Timeout>()

  const scheduleNext = (server: ServerName, time: number): void => {
    clearTimeout(timers.get(server))
    timers.delete(server)
    if (time > 0) timers.set(server, setTimeout(() => void look(server), time).unref())
  }
  const run = (server: ServerName): Promise<void> => {
    const now = review(server)
      .then((left) => scheduleNext(server, left))
      .catch((error: unknown) => log.warn('could not review the grants of a tool server', { server, error }))
      .finally(() => {
        if (servers.get(server)?.next === undefined) servers.delete(server)
      })
    servers.set(server, { now })
    return now
  }
  const look = (server: ServerName): Promise<void> => {
    const running = servers.get(server)
    if (running === undefined) return run(server)
    running.next ??= running.now.then(() => run(server))
    return running.next
  }
  return {
    look,
    settled: async () => {
      while (servers.size > 0) await Promise.all([...servers.values()].map(({ now }) => now))
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
