// Pauses between attempts: doubling, with full jitter, so that many callers do not come back at once.

export interface Backoff {
  /** Milliseconds to wait before the next attempt. */
  next(): number
  /** After a success. */
  reset(): void
}

/** Each pause is between zero and a ceiling that doubles from `first` to `most` milliseconds. */
export const backoff = (options: { first: number; most: number }): Backoff => {
  let ceiling = options.first
  return {
    next: () => {
      const pause = Math.random() * ceiling
      ceiling = Math.min(ceiling * 2, options.most)
      return pause
    },
    reset: () => {
      ceiling = options.first
    },
  }
}
