// The time that data is aged by before it is removed for good. A clock that was set a year ahead by mistake must not remove a year's data,
// so a step forward counts only after it has lasted. A step back counts at once: it only keeps data longer.
import { wallMs } from './wall.ts'

/** Milliseconds for which a step forward must last before data is removed by it. */
export const stepTrusted = 12 * 60 * 60_000

export interface RetentionSources {
  /** Milliseconds since the epoch. */
  readonly wall?: () => number
  /** Milliseconds that have passed, whatever is set on the machine. */
  readonly elapsed?: () => number
}

/** Milliseconds since the epoch, never later than the wall clock. Each call also notes where the wall clock stands. */
export const createRetentionClock = ({ wall = wallMs, elapsed = () => performance.now() }: RetentionSources = {}): (() => number) => {
  let trusted = wall() - elapsed()
  let step: { offset: number; readonly since: number } | undefined
  return () => {
    const passed = elapsed()
    const offset = wall() - passed
    if (offset <= trusted) {
      trusted = offset
      step = undefined
      return trusted + passed
    }
    // The smallest offset since the step is what has lasted.
    step ??= { offset, since: passed }
    step.offset = Math.min(step.offset, offset)
    if (passed - step.since >= stepTrusted) {
      trusted = step.offset
      step = undefined
    }
    return trusted + passed
  }
}

/** The retention clock of this process. */
export const retentionMs = createRetentionClock()
