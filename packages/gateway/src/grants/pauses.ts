// Leaves time between two lines on one matter, so that a server that never rests does not fill the journal.

export interface Pauses {
  /** Acts, unless the last act in this matter was a moment ago. Resolves with the milliseconds that are left to wait. */
  pace(matter: string, act: () => Promise<void>): Promise<number>
}

/** @param time milliseconds */
export const createPauses = (time: number): Pauses => {
  const over = new Map<string, number>()
  /** Whatever becomes of the clock. */
  const now = (): number => performance.now()
  const begin = (matter: string): void => {
    for (const [other, end] of over) if (end <= now()) over.delete(other)
    over.set(matter, now() + time)
  }
  return {
    pace: async (matter, act) => {
      const left = (over.get(matter) ?? 0) - now()
      if (left > 0) return left
      await act()
      begin(matter)
      return 0
    },
  }
}
