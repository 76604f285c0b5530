// Failed authentications, journaled at most once in a while with how many there were. Never delays nor fails an answer.
import { gatewayControlPlane, limits } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import type { Logger } from '@gatehouse/kernel'
import { itself } from '../changes/lines.ts'

export type Failing = 'missing' | 'unknown' | 'expired'

export interface Failures {
  /** @param name of the token whose time was over */
  note(failing: Failing, name?: string): void
  /** Writes what was counted; nothing is counted afterwards. */
  stop(): Promise<void>
}

export interface FailuresOptions {
  readonly commit: (lines: readonly JournalInput[]) => Promise<unknown>
  readonly log: Logger
}

const emptyCounts = (): Record<Failing, number> => ({ missing: 0, unknown: 0, expired: 0 })

export const createFailures = ({ commit, log }: FailuresOptions): Failures => {
  let counts = emptyCounts()
  let names = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const write = async (): Promise<void> => {
    if (Object.values(counts).every((count) => count === 0)) return
    const detail = { ...counts, tokens: [...names].toSorted() }
    counts = emptyCounts()
    names = new Set()
    timer = setTimeout(() => {
      timer = undefined
      void write()
    }, limits.authFailedPause).unref()
    await commit([{ stage: 'auth-failed', ...itself, edge: gatewayControlPlane.caller, detail }]).catch((error: unknown) =>
      log.warn('failed authentications could not be journaled', { ...detail, error }),
    )
  }
  return {
    note: (failing, name) => {
      if (stopped) return
      counts[failing] += 1
      if (name !== undefined) names.add(name)
      if (timer === undefined) void write()
    },
    stop: async () => {
      stopped = true
      await write()
      clearTimeout(timer)
    },
  }
}
