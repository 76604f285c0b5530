// The time that data is aged by before it is removed for good. A clock that was set a year ahead by mistake must not remove a year's data,
// so a step forward counts only after it has lasted. A step back counts at once: it only keeps data longer.
// A process that starts goes on from the time that an earlier one noted (`keepRetentionClock`): the time in which nothing ran, and a clock
// that was set ahead meanwhile, look the same and are a step forward.
import { wallMs } from './clock.ts'

/**
 * Milliseconds for which a step forward must last before data is removed by it. What is kept for this long or shorter is kept for
 * that long in truth, whatever is set on the machine: idempotency keys are.
 */
export const stepTrusted = 24 * 60 * 60_000

export interface RetentionSources {
  /** Milliseconds since the epoch. */
  readonly wall?: () => number
  /** Milliseconds that have passed, whatever is set on the machine. */
  readonly elapsed?: () => number
}

/** Where a retention clock stands, for the next process. All in milliseconds, the times since the epoch. */
export interface RetentionState {
  readonly time: number
  /** Where a step that has not lasted yet leads; the same time without one. */
  readonly target: number
  /** For how long that step has lasted, over all processes. */
  readonly lasted: number
}

export interface RetentionClock {
  /** Milliseconds since the epoch, never later than the wall clock. Each call also notes where the wall clock stands. */
  (): number
  state(): RetentionState
  /** Goes on from where an earlier process stood. Without one, nothing is old before the wall clock has lasted. */
  resume(state: RetentionState | undefined): void
}

export const createRetentionClock = ({ wall = wallMs, elapsed = () => performance.now() }: RetentionSources = {}): RetentionClock => {
  let trusted = wall() - elapsed()
  let step: { offset: number; since: number } | undefined
  const now = (): number => {
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
  const state = (): RetentionState => {
    const time = now()
    const passed = elapsed()
    return step === undefined ? { time, target: time, lasted: 0 } : { time, target: step.offset + passed, lasted: passed - step.since }
  }
  const resume = ({ time, target, lasted }: RetentionState = { time: 0, target: 0, lasted: 0 }): void => {
    const passed = elapsed()
    trusted = Math.min(trusted, time - passed)
    step = target > time ? { offset: target - passed, since: passed - lasted } : undefined
    now()
  }
  return Object.assign(now, { state, resume })
}

/** The retention clock of this process. */
export const retentionMs = createRetentionClock()
