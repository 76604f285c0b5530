// The time that everything is judged by: it follows the machine's clock, and never steps back with it.

/** How fast time goes while the machine's clock is behind: slower, so that this catches up, and fast enough for what grows old. */
const pace = 0.9

export interface Clock {
  /** Milliseconds since the epoch; never less than what it said before. */
  (): number
  /** It is at least this late. */
  reach(time: number): void
  /** Milliseconds by which it is ahead of the machine's. */
  ahead(): number
}

/** @param elapsed milliseconds that have passed, whatever is set on the machine */
export const createClock = (source: () => number, elapsed: () => number = () => performance.now()): Clock => {
  let latest = 0
  let looked = elapsed()
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
  return Object.assign(now, { reach, ahead: () => Math.max(0, now() - source()) })
}
