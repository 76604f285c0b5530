// The clock that records are dated by and deadlines are judged by. It follows the machine's clock forward and never steps back with it.
//
// Guaranteed, whatever is set on the machine while the process runs:
// - The clock never goes back and is never behind the machine's.
// - A deadline that is watched never comes later, in time that has really passed, than it was away when it was first watched.
// - A deadline that has come stays past.
// A step of the machine's clock forward can only bring deadlines earlier.

// The machine's wall clock can be set by people and can jump, so it only dates records and checks instants that others set. Durations and
// deadlines inside one process are measured with `performance.now()`, which never jumps.

/** Milliseconds since the epoch. */
export const wallMs = (): number => Date.now()

/** The present instant, in ISO 8601 and UTC. */
export const wallTime = (): string => new Date().toISOString()

/** How fast time goes while the machine's clock is behind: slower, so that this catches up, and fast enough for what grows old. */
const pace = 0.9

export interface Clock {
  /** Milliseconds since the epoch; never less than what it said before. */
  (): number
  /** It is at least this late. */
  reach(time: number): void
  /** Milliseconds by which it is ahead of the machine's. */
  ahead(): number
  /** Whether an instant, in milliseconds since the epoch, has come. The first question also starts to count the time that really passes. */
  isPast(instant: number): boolean
}

/** @param elapsed milliseconds that have passed, whatever is set on the machine */
export const createClock = (source: () => number, elapsed: () => number = () => performance.now()): Clock => {
  let latest = 0
  let looked = elapsed()
  /** By watched instant: when it has come at the latest, as `elapsed` counts. */
  const ends = new Map<number, number>()
  const now = (): number => {
    const [machine, passed] = [source(), elapsed()]
    latest = machine >= latest ? machine : latest + (passed - looked) * pace
    looked = passed
    return Math.floor(latest)
  }
  const reach = (time: number): void => {
    if (time <= now()) return
    latest = time
  }
  const watch = (instant: number, end: number): void => {
    // Those that the clock has reached are past without being watched.
    if (!ends.has(instant)) for (const other of ends.keys()) if (other <= latest) ends.delete(other)
    ends.set(instant, end)
  }
  const isPast = (instant: number): boolean => {
    now()
    const left = instant - latest
    if (left <= 0) return true
    if (left === Infinity) return false
    const end = Math.min(looked + left, ends.get(instant) ?? Infinity)
    watch(instant, end)
    return end <= looked
  }
  return Object.assign(now, { reach, ahead: () => Math.max(0, now() - source()), isPast })
}
