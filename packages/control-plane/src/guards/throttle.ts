// Fourth guard: throttles principals that read a lot. Above part of its share, the reads of a principal run one at a time with a
// pause after each; above the share, each read waits until the excess is paid back. Writes and other principals never wait.
import { limits, ServiceError } from '@gatehouse/contracts'
import { KeyedQueue } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { isOpenPath } from '../problem.ts'
import { escapeAnswer } from './method.ts'

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Consumption by principal. At most one entry per token. */
class Shares {
  readonly #had = new Map<string, { bytes: number; at: number }>()
  /** When the pause of each recent principal ends. */
  readonly #rests = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  #left(key: string): number {
    const known = this.#had.get(key)
    if (known === undefined) return 0
    return Math.max(0, known.bytes - ((this.#now() - known.at) / 1000) * limits.readBytesPerSecond)
  }

  add(key: string, bytes: number): void {
    // Concurrent reads can exceed the share by far. The cap prevents waits of minutes.
    const most = limits.readBytes + (limits.readPauseMost / 1000) * limits.readBytesPerSecond
    this.#had.set(key, { bytes: Math.min(this.#left(key) + bytes, most), at: this.#now() })
  }

  isAside(key: string): boolean {
    return this.#left(key) > limits.readBytesAside
  }

  /** Ends a turn and starts the pause, which leaves most of the processor time to others. */
  rest(key: string, since: number): void {
    const now = this.#now()
    this.#rests.set(key, now + Math.min((now - since) * limits.readRest, limits.readRestMost))
  }

  /** Milliseconds until the pause is over and the excess is paid back. */
  pause(key: string): number {
    const repaid = Math.max(0, this.#left(key) - limits.readBytes) / (limits.readBytesPerSecond / 1000)
    return Math.ceil(Math.max(repaid, (this.#rests.get(key) ?? 0) - this.#now()))
  }
}

const slowDown = (c: Context<Env>, pause: number): ServiceError => {
  const seconds = Math.max(1, Math.ceil(pause / 1000))
  c.header('Retry-After', String(seconds))
  return new ServiceError('rate-limited', {
    detail: `more than ${limits.readsWaiting} reads are waiting`,
    hint: `send fewer reads at a time, or try again in ${seconds} s`,
  })
}

/** Number of waiting and running reads by principal. */
class Waiting {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** Runs until the signal aborts or the returned function is called. */
  enter(key: string, signal: AbortSignal): () => void {
    let isIn = true
    const leave = (): void => {
      if (!isIn) return
      isIn = false
      const left = this.of(key) - 1
      if (left === 0) this.#counts.delete(key)
      else this.#counts.set(key, left)
    }
    this.#counts.set(key, this.of(key) + 1)
    signal.addEventListener('abort', leave, { once: true })
    return leave
  }
}

export interface PaceOptions {
  /** Milliseconds, monotone. */
  readonly now?: (() => number) | undefined
  readonly wait: (milliseconds: number) => Promise<void>
}

export const throttleGuard = ({ now = () => performance.now(), wait }: PaceOptions): MiddlewareHandler<Env> => {
  const shares = new Shares(now)
  const turns = new KeyedQueue()
  const waiting = new Waiting()
  const answer = async (c: Context<Env>, next: () => Promise<void>): Promise<void> => {
    await next()
    shares.add(c.var.principal.name, await escapeAnswer(c))
  }
  const createSerialQueue = async (c: Context<Env>, key: string, next: () => Promise<void>): Promise<void> => {
    const { signal } = c.req.raw
    const leave = waiting.enter(key, signal)
    try {
      await turns.run(key, async () => {
        if (!signal.aborted) await wait(shares.pause(key))
        // The client is gone, so nothing is read for it.
        if (signal.aborted) throw slowDown(c, 0)
        const since = now()
        await answer(c, next)
        shares.rest(key, since)
      })
    } finally {
      leave()
    }
  }
  return async (c, next) => {
    if (!reads.has(c.req.method) || isOpenPath(c.req.path)) return next()
    const key = c.var.principal.name
    if (!shares.isAside(key)) return answer(c, next)
    if (waiting.of(key) >= limits.readsWaiting) throw slowDown(c, shares.pause(key))
    return createSerialQueue(c, key, next)
  }
}

/** Wraps all guards. Delays responses with status 429, so that a client that ignores them cannot use up the processor. */
export const delayRefusalsGuard =
  (wait: (milliseconds: number) => Promise<void>): MiddlewareHandler<Env> =>
  async (c, next) => {
    await next()
    if (c.res.status === 429) await wait(limits.refusalHold)
  }
