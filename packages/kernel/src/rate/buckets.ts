// Token buckets by key, in bounded memory: the key that was quiet for longest is forgotten first.
import { limits } from '@gatehouse/contracts'

export interface BucketOptions {
  readonly perSecond: number
  readonly burst: number
  /** Keys remembered at once. */
  readonly most?: number
  /** Milliseconds, monotone. */
  readonly now?: () => number
}

interface Taken {
  readonly ok: boolean
  /** Whole requests left. */
  readonly remaining: number
  /** Seconds until the bucket is full again. */
  readonly reset: number
  /** Seconds until one request passes; 0 when this one did. */
  readonly retryAfter: number
}

export interface Buckets {
  take(key: string): Taken
  size(): number
}

export const createBuckets = ({ perSecond, burst, most = limits.rateKeys, now = () => performance.now() }: BucketOptions): Buckets => {
  const buckets = new Map<string, { level: number; at: number }>()

  const refill = (key: string): number => {
    const known = buckets.get(key)
    if (known === undefined) return burst
    buckets.delete(key)
    return Math.min(burst, known.level + ((now() - known.at) / 1000) * perSecond)
  }
  return {
    size: () => buckets.size,
    take: (key) => {
      const before = refill(key)
      const ok = before >= 1
      const level = ok ? before - 1 : before
      buckets.set(key, { level, at: now() })
      for (const oldest of buckets.keys()) {
        if (buckets.size <= most) break
        buckets.delete(oldest)
      }
      return {
        ok,
        remaining: Math.floor(level),
        reset: Math.ceil((burst - level) / perSecond),
        retryAfter: ok ? 0 : Math.max(1, Math.ceil((1 - level) / perSecond)),
      }
    },
  }
}
