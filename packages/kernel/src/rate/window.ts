// Counts starts in a sliding window: never more than the maximum within any minute, whatever the maximum was before.

/** Milliseconds. */
const minute = 60_000

export interface WindowOptions {
  /** Milliseconds; default one minute. */
  readonly span?: number
  /** Milliseconds, monotonic. */
  readonly now?: () => number
}

export interface Window {
  /** Milliseconds until one more start keeps the window at `max`; 0 when it may begin now. */
  wait(max: number): number
  add(): void
}

export const createWindow = ({ span = minute, now = () => performance.now() }: WindowOptions = {}): Window => {
  let starts: number[] = []
  /** Index of the oldest start that still counts. */
  let first = 0
  const dropOld = (time: number): void => {
    while (first < starts.length && (starts[first] ?? 0) + span <= time) first += 1
    if (first < 1024 || first * 2 < starts.length) return
    starts = starts.slice(first)
    first = 0
  }
  return {
    wait: (max) => {
      const time = now()
      dropOld(time)
      if (starts.length - first < max) return 0
      // This one has to leave the window first.
      return (starts[starts.length - max] ?? time) + span - time
    },
    add: () => void starts.push(now()),
  }
}
