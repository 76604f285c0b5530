// The clock for timestamps of records and for deadlines. It follows the machine's clock forward and never steps back with it.
//
// Guarantees, whatever the machine's clock is set to while the process runs:
// - The clock never goes back and is never behind the machine's.
// - A deadline passes no later than the time that remained when it was first checked, measured in elapsed time.
// - A deadline that has passed stays past.
// A step of the machine's clock forward can only bring deadlines earlier.

// The wall clock can be set and can jump, so it is used only for timestamps and for instants set outside this process. Durations and
// deadlines inside a process are measured with `performance.now()`, which never jumps.

/** Milliseconds since the epoch. */
export const wallMs = (): number => Date.now()

/** The current time, in ISO 8601 and UTC. */
export const wallTime = (): string => new Date().toISOString()

/** Speed of this clock while the machine's clock is behind: slower than real time, so that the machine catches up. */
const catchUpRate = 0.9

export interface Clock {
  /** Milliseconds since the epoch; never less than an earlier result. */
  (): number
  /** Moves the clock forward to this time, in milliseconds since the epoch, unless it is past it already. */
  reach(time: number): void
  /** Milliseconds by which it is ahead of the machine's. */
  ahead(): number
  /** Whether an instant, in milliseconds since the epoch, has passed. The first call for an instant also starts to measure elapsed time. */
  isPast(instant: number): boolean
}

/** @param elapsed a monotonic clock, in milliseconds */
export const createClock = (source: () => number, elapsed: () => number = () => performance.now()): Clock => {
  let latest = 0
  let lastElapsed = elapsed()
  /** By watched instant: the latest time at which it passes, on the `elapsed` clock. */
  const ends = new Map<number, number>()
  const now = (): number => {
    const [machine, passed] = [source(), elapsed()]
    latest = machine >= latest ? machine : latest + (passed - lastElapsed) * catchUpRate
    lastElapsed = passed
    return Math.floor(latest)
  }
  const reach = (time: number): void => {
    if (time <= now()) return
    latest = time
  }
  const watch = (instant: number, end: number): void => {
    // Instants that the clock has reached are past and need no entry.
    if (!ends.has(instant)) for (const other of ends.keys()) if (other <= latest) ends.delete(other)
    ends.set(instant, end)
  }
  const isPast = (instant: number): boolean => {
    now()
    const remaining = instant - latest
    if (remaining <= 0) return true
    if (remaining === Infinity) return false
    const end = Math.min(lastElapsed + remaining, ends.get(instant) ?? Infinity)
    watch(instant, end)
    return end <= lastElapsed
  }
  return Object.assign(now, { reach, ahead: () => Math.max(0, now() - source()), isPast })
}
