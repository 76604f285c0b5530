// How many calls took how long. Pure functions.

export interface Timed {
  /** Milliseconds. */
  readonly duration: number
  readonly outcome: string
}

export interface Bucket {
  readonly label: string
  readonly ok: number
  readonly other: number
}

const bounds: readonly (readonly [upTo: number, label: string])[] = [
  [5, '< 5 ms'],
  [20, '< 20 ms'],
  [50, '< 50 ms'],
  [200, '< 200 ms'],
  [1_000, '< 1 s'],
  [5_000, '< 5 s'],
  [Infinity, '≥ 5 s'],
]

export const bucketsOf = (items: readonly Timed[]): readonly Bucket[] =>
  bounds.map(([upTo, label], place) => {
    const from = bounds[place - 1]?.[0] ?? -1
    const own = items.filter(({ duration }) => duration >= from && duration < upTo)
    const ok = own.filter(({ outcome }) => outcome === 'ok').length
    return { label, ok, other: own.length - ok }
  })

/** The value that this share of the calls stays below or at; undefined for none. */
export const percentile = (items: readonly Timed[], share: number): number | undefined =>
  items.map(({ duration }) => duration).toSorted((a, b) => a - b)[Math.max(0, Math.ceil(items.length * share) - 1)]
