// Fourth guard: throttles principals that read a lot. Above part of its share, the reads of a principal run one at a time with a
// pause after each; above the share, each read waits until the excess is paid back. Writes and other principals never wait.
import { limits, ServiceError } from '@gatehouse/contracts'
import { KeyedQueue } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { isOpenPath } from '../problem.ts'
import { escapeAnswer } from './method.ts'

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** What each principal has had; as many as there are tokens. */
class Shares {
  readonly #had = new Map<string, { bytes: number; at: number }>()
  /** When the rest of each is over that took turns last. */
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
    // Reads that began together may bring much more than the share: nobody waits for minutes because of it.
    const most = limits.readBytes + (limits.readPauseMost / 1000) * limits.readBytesPerSecond
    this.#had.set(key, { bytes: Math.min(this.#left(key) + bytes, most), at: this.#now() })
  }

  isAside(key: string): boolean {
    return this.#left(key) > limits.readBytesAside
  }

  /** Its turn took until now: most of the time the processors are for others. */
  rest(key: string, since: number): void {
    const now = this.#now()
    this.#rests.set(key, now + Math.min((now - since) * limits.readRest, limits.readRestMost))
  }

  /** Milliseconds until it has rested and is within its share again. */
  pause(key: string): number {
    const repaid = Math.max(0, this.#left(key) - limits.readBytes) / (limits.readBytesPerSecond / 1000)
    return Math.ceil(Math.max(repaid, (this.#rests.get(key) ?? 0) - this.#now()))
  }
}

const slowDown = (c: Context<Env>, pause: number): ServiceError => {
  const seconds = Math.max(1, Math.ceil(pause / 1000))
  c.header('Retry-After', String(seconds))
  return new ServiceError('rate-limited', {
    detail: `expected at most ${limits.readsWaiting} reads that wait for their turn, got more`,
    hint: `read less at once, or try again in ${seconds} s`,
  })
}

/** How many reads of a principal wait or are in their turn. */
class Waiting {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** Until the signal aborts, or what it gives is called. */
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
        // Nobody hears what is said of a request that was given up, and nothing should be read for it.
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

/** Around all guards: delays answers with status 429, so that a client which ignores them cannot use up the processor. */
export const delayRefusalsGuard =
  (wait: (milliseconds: number) => Promise<void>): MiddlewareHandler<Env> =>
  async (c, next) => {
    await next()
    if (c.res.status === 429) await wait(limits.refusalHold)
  }
