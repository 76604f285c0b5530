// The time that everything is judged by: it follows the machine's clock, and never steps back with it.

export interface Clock {
  /** Milliseconds since the epoch; never less than what it said before. */
  (): number
  /** It is at least this late. */
  reach(time: number): void
}

export const createClock = (source: () => number): Clock => {
  let latest = 0
  const reach = (time: number): void => {
    if (time > latest) latest = time
  }
  const now = (): number => {
    reach(source())
    return latest
  }
  return Object.assign(now, { reach })
}
