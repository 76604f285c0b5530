// Where the retention clock of a process stands, in a file beside its lock: the next process goes on from there.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFiles } from '@gatehouse/contracts'
import { type RetentionClock, retentionMs, type RetentionState } from '../clock/retention.ts'
import type { Logger } from '../log/logger.ts'
import { writeAtomically } from './write-atomically.ts'

/** Milliseconds between two notes. What passes between the last one and a kill only keeps data longer. */
const noteTime = 10 * 60_000

export interface RetentionOptions {
  readonly stateDir: string
  readonly service: string
  readonly log: Logger
  readonly clock?: RetentionClock
}

export interface KeptClock {
  /** Notes the time once more. */
  stop(): Promise<void>
}

const format = ({ time, target, lasted }: RetentionState): string =>
  `${new Date(time).toISOString()} ${new Date(target).toISOString()} ${Math.floor(lasted)}\n`

/** Undefined for a file that is missing or was damaged: then old data is kept a while longer. */
const read = async (path: string): Promise<RetentionState | undefined> => {
  const [time = NaN, target = NaN, lasted = ''] = (await readFile(path, 'utf8').catch(() => '')).trim().split(' ')
  const state = { time: new Date(time).getTime(), target: new Date(target).getTime(), lasted: Number(lasted) }
  return Object.values(state).every((value) => Number.isFinite(value) && value >= 0) ? state : undefined
}

/** Whether this process created its lock file, as it does in a state directory that holds no data yet. */
const isNewDirectory = async (lock: string): Promise<boolean> => {
  const created = (await stat(lock).catch(() => undefined))?.birthtimeMs
  return created !== undefined && created >= performance.timeOrigin
}

/** Under the lock of the process, before anything is removed. Saved in `<stateDir>/locks/<service>.retention` from then on. */
export const keepRetentionClock = async ({ stateDir, service, log, clock = retentionMs }: RetentionOptions): Promise<KeptClock> => {
  const path = join(stateDir, stateFiles.locks, `${service}.retention`)
  const note = (): Promise<void> =>
    writeAtomically(path, format(clock.state())).catch((error: unknown) =>
      log.warn('the time for retention was not saved: old data is kept longer after the next start', { error }),
    )
  const saved = await read(path)
  // Without data nothing can be removed too early, and a short retention holds from the first day on.
  if (saved !== undefined || !(await isNewDirectory(join(stateDir, stateFiles.locks, `${service}.db`)))) clock.resume(saved)
  await note()
  const timer = setInterval(() => void note(), noteTime).unref()
  return {
    stop: () => {
      clearInterval(timer)
      return note()
    },
  }
}
