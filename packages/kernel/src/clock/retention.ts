// The clock that decides when data is old enough to be deleted. A clock set a year ahead by mistake must not delete a year's data, so a
// step forward counts only after it has persisted. A step back counts at once: it only keeps data longer.
// A process resumes from the time that an earlier one saved (`keepRetentionClock`). Downtime and a clock that was set ahead during it
// look the same; both count as a step forward.
import { wallMs } from './clock.ts'

/**
 * Milliseconds for which a step forward must persist before it ages data. A retention of this length or shorter, such as that of
 * idempotency keys, therefore holds in real time whatever the machine's clock is set to.
 */
export const stepTrustTime = 24 * 60 * 60_000

export interface RetentionSources {
  /** Milliseconds since the epoch. */
  readonly wall?: () => number
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: () => number
}

/** The state of a retention clock, saved for the next process. All values in milliseconds; times since the epoch. */
export interface RetentionState {
  readonly time: number
  /** The time after a step that has not persisted long enough yet; equal to `time` without one. */
  readonly target: number
  /** How long that step has persisted, over all processes. */
  readonly lasted: number
}

export interface RetentionClock {
  /** Milliseconds since the epoch, never later than the wall clock. Each call also samples the wall clock. */
  (): number
  state(): RetentionState
  /** Resumes from the state of an earlier process. Without one, no data counts as old before the wall clock has persisted. */
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
    // The smallest offset since the step is the part of it that has persisted.
    step ??= { offset, since: passed }
    step.offset = Math.min(step.offset, offset)
    if (passed - step.since >= stepTrustTime) {
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
