// Keeps the last hour in memory: reads the metrics of all processes at a steady pace, forgets what is older.
import { limits, type StatusHistory, type StatusSample } from '@gatehouse/contracts'
import { type Logger, wallTime } from '@gatehouse/kernel'
import { type Reading, toReading } from './reading.ts'
import { toSample } from './sample.ts'

export interface HistoryOptions {
  /** Registries by process. */
  readonly read: () => Promise<Readonly<Record<string, unknown>>>
  readonly log: Logger
  /** Milliseconds. */
  readonly every?: number
  readonly most?: number
}

export interface History {
  shown(): StatusHistory
  /** One reading; a failed one leaves a gap. */
  take(): Promise<void>
  start(): void
  stop(): void
}

export const createHistory = ({ read, log, every = limits.historyEvery, most = limits.historySamples }: HistoryOptions): History => {
  const samples: StatusSample[] = []
  let before: Reading | undefined
  let timer: ReturnType<typeof setInterval> | undefined

  const take = async (): Promise<void> => {
    try {
      const now = toReading(await read())
      // The first reading holds what happened before anybody looked.
      if (before !== undefined) samples.push(toSample(before, now, wallTime()))
      samples.splice(0, samples.length - most)
      before = now
    } catch (error) {
      log.debug('metrics of the other processes not read', { error })
    }
  }
  return {
    shown: () => ({ every: every / 1_000, samples: [...samples] }),
    take,
    start: () => {
      void take()
      timer = setInterval(() => void take(), every)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
