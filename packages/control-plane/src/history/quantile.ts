// A quantile out of a histogram: within a bucket the values are taken to lie evenly.

export interface Bucket {
  /** Upper bound; infinite for the last. */
  readonly upTo: number
  /** Those in this bucket and in all before it. */
  readonly count: number
}

/** Undefined for an empty histogram; the last bound where it lies beyond it. */
export const quantileOf = (share: number, buckets: readonly Bucket[]): number | undefined => {
  const sorted = buckets.toSorted((a, b) => a.upTo - b.upTo)
  const all = sorted.at(-1)?.count ?? 0
  if (all === 0) return undefined
  const rank = share * all
  const place = sorted.findIndex(({ count }) => count >= rank)
  const bucket = sorted[place]
  const below = sorted[place - 1] ?? { upTo: 0, count: 0 }
  if (bucket === undefined || bucket.upTo === Infinity) return below.upTo
  return below.upTo + (bucket.upTo - below.upTo) * ((rank - below.count) / Math.max(bucket.count - below.count, 1))
}
