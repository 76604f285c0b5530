// Rate limits: token buckets by key, and a sliding window.
import { limits } from '@gatehouse/contracts'

export interface BucketOptions {
  readonly perSecond: number
  readonly burst: number
  /** Maximum number of keys in memory. */
  readonly maxKeys?: number
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

interface TakeResult {
  readonly ok: boolean
  /** Whole requests that remain. */
  readonly remaining: number
  /** Seconds until the bucket is full again. */
  readonly reset: number
  /** Seconds until the next request is allowed; 0 when this one was. */
  readonly retryAfter: number
}

export interface Buckets {
  take(key: string): TakeResult
  /** The result that `take` would have, without taking a token. */
  peek(key: string): TakeResult
  size(): number
}

/** Token buckets in bounded memory. The least recently used key is dropped first. */
export const createBuckets = ({ perSecond, burst, maxKeys = limits.rateKeys, now = () => performance.now() }: BucketOptions): Buckets => {
  const buckets = new Map<string, { level: number; at: number }>()

  const currentLevel = (key: string): number => {
    const bucket = buckets.get(key)
    return bucket === undefined ? burst : Math.min(burst, bucket.level + ((now() - bucket.at) / 1000) * perSecond)
  }
  const evaluate = (before: number): TakeResult => {
    const ok = before >= 1
    const level = ok ? before - 1 : before
    const retryAfter = ok ? 0 : Math.max(1, Math.ceil((1 - level) / perSecond))
    return { ok, remaining: Math.floor(level), reset: Math.ceil((burst - level) / perSecond), retryAfter }
  }
  return {
    size: () => buckets.size,
    peek: (key) => evaluate(currentLevel(key)),
    take: (key) => {
      const before = currentLevel(key)
      const taken = evaluate(before)
      buckets.delete(key)
      buckets.set(key, { level: taken.ok ? before - 1 : before, at: now() })
      for (const oldest of buckets.keys()) {
        if (buckets.size <= maxKeys) break
        buckets.delete(oldest)
      }
      return taken
    },
  }
}

/** Milliseconds. */
const minute = 60_000

export interface WindowOptions {
  /** Milliseconds; default one minute. */
  readonly span?: number
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

export interface Window {
  /** Milliseconds until another start keeps the window within `max`; 0 when it may begin now. */
  wait(max: number): number
  add(): void
}

/** A sliding window that stores every start. */
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
      // This start has to leave the window first.
      return (starts[starts.length - max] ?? time) + span - time
    },
    add: () => void starts.push(now()),
  }
}
