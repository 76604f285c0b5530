// Saves the state of a process's retention clock in a file beside its lock, so that the next process resumes from it.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFiles } from '@gatehouse/contracts'
import { type RetentionClock, retentionMs, type RetentionState } from '../clock/retention.ts'
import type { Logger } from '../log/logger.ts'
import { writeAtomically } from './write-atomically.ts'

/** Milliseconds between saves. Time lost between the last save and a kill only keeps data longer. */
const saveInterval = 10 * 60_000

export interface RetentionOptions {
  readonly stateDir: string
  readonly service: string
  readonly log: Logger
  readonly clock?: RetentionClock
}

export interface SavedClock {
  /** Saves the state a last time. */
  stop(): Promise<void>
}

const format = ({ time, target, lasted }: RetentionState): string =>
  `${new Date(time).toISOString()} ${new Date(target).toISOString()} ${Math.floor(lasted)}\n`

/** Undefined for a missing or damaged file: old data is then kept longer. */
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

/** Call it with the lock of the process held, before any data is deleted. Saves to `<stateDir>/locks/<service>.retention`. */
export const keepRetentionClock = async ({ stateDir, service, log, clock = retentionMs }: RetentionOptions): Promise<SavedClock> => {
  const path = join(stateDir, stateFiles.locks, `${service}.retention`)
  const save = (): Promise<void> =>
    writeAtomically(path, format(clock.state())).catch((error: unknown) =>
      log.warn('could not save the retention clock: old data is kept longer after the next start', { error }),
    )
  const saved = await read(path)
  // A new state directory has no data that could be deleted too early.
  if (saved !== undefined || !(await isNewDirectory(join(stateDir, stateFiles.locks, `${service}.db`)))) clock.resume(saved)
  await save()
  const timer = setInterval(() => void save(), saveInterval).unref()
  return {
    stop: () => {
      clearInterval(timer)
      return save()
    },
  }
}
