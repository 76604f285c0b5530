// Rate limits: token buckets by key, and a sliding window.
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
  /** What `take` would say; nothing is taken. */
  look(key: string): Taken
  size(): number
}

/** Token buckets in bounded memory: the least recently used key is dropped first. */
export const createBuckets = ({ perSecond, burst, most = limits.rateKeys, now = () => performance.now() }: BucketOptions): Buckets => {
  const buckets = new Map<string, { level: number; at: number }>()

  const levelOf = (key: string): number => {
    const known = buckets.get(key)
    return known === undefined ? burst : Math.min(burst, known.level + ((now() - known.at) / 1000) * perSecond)
  }
  const judge = (before: number): Taken => {
    const ok = before >= 1
    const level = ok ? before - 1 : before
    const retryAfter = ok ? 0 : Math.max(1, Math.ceil((1 - level) / perSecond))
    return { ok, remaining: Math.floor(level), reset: Math.ceil((burst - level) / perSecond), retryAfter }
  }
  return {
    size: () => buckets.size,
    look: (key) => judge(levelOf(key)),
    take: (key) => {
      const before = levelOf(key)
      const taken = judge(before)
      buckets.delete(key)
      buckets.set(key, { level: taken.ok ? before - 1 : before, at: now() })
      for (const oldest of buckets.keys()) {
        if (buckets.size <= most) break
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
  /** Milliseconds, monotonic. */
  readonly now?: () => number
}

export interface Window {
  /** Milliseconds until one more start keeps the window at `max`; 0 when it may begin now. */
  wait(max: number): number
  add(): void
}

/** A sliding window over starts, all of which are remembered. */
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
