// Schedules drift reviews: after each listing and each replaced entry, one at a time for each server.
import type { ServerName } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'

export interface DriftWatch {
  /** Resolves when what is true now was looked at, or could not be: then the next look finds it. */
  look(server: ServerName): Promise<void>
  /** Resolves when no look goes on. None comes by itself afterwards. */
  settled(): Promise<void>
}

interface Looking {
  readonly now: Promise<void>
  next?: Promise<void>
}

/** @param review resolves with the milliseconds after which the server is to be looked at again; 0 for no need */
export const createDriftWatch = (review: (server: ServerName) => Promise<number>, log: Logger): DriftWatch => {
  const servers = new Map<string, Looking>()
  const later = new Map<string, NodeJS.Timeout>()

  const comeBack = (server: ServerName, time: number): void => {
    clearTimeout(later.get(server))
    later.delete(server)
    if (time > 0) later.set(server, setTimeout(() => void look(server), time).unref())
  }
  const run = (server: ServerName): Promise<void> => {
    const now = review(server)
      .then((left) => comeBack(server, left))
      .catch((error: unknown) => log.warn('what a tool server declares could not be held against its grants', { server, error }))
      .finally(() => {
        if (servers.get(server)?.next === undefined) servers.delete(server)
      })
    servers.set(server, { now })
    return now
  }
  const look = (server: ServerName): Promise<void> => {
    const looking = servers.get(server)
    if (looking === undefined) return run(server)
    looking.next ??= looking.now.then(() => run(server))
    return looking.next
  }
  return {
    look,
    settled: async () => {
      while (servers.size > 0) await Promise.all([...servers.values()].map(({ now }) => now))
      for (const timer of later.values()) clearTimeout(timer)
    },
  }
}
