// Fourth guard: who reads much reads on slowly. The bytes of answers are counted for each principal; beyond its share its next reads
// wait, one at a time, until what it had is repaid. Nobody else waits, and no act does: a decision is taken at once.
import { limits, ServiceError } from '@gatehouse/contracts'
import { KeyedTurns } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { escapeAnswer } from './escape.ts'
import { isOpenPath } from './open-path.ts'

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** What each principal has had; as many as there are tokens. */
class Shares {
  readonly #had = new Map<string, { bytes: number; at: number }>()
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
    this.#had.set(key, { bytes: this.#left(key) + bytes, at: this.#now() })
  }

  /** Milliseconds until it is within its share again. */
  pause(key: string): number {
    return Math.ceil(Math.max(0, this.#left(key) - limits.readBytes) / (limits.readBytesPerSecond / 1000))
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

export interface PaceOptions {
  /** Milliseconds, monotone. */
  readonly now?: (() => number) | undefined
  readonly wait: (milliseconds: number) => Promise<void>
}

export const paceGuard = ({ now = () => performance.now(), wait }: PaceOptions): MiddlewareHandler<Env> => {
  const shares = new Shares(now)
  const turns = new KeyedTurns()
  const waiting = new Map<string, number>()
  const answer = async (c: Context<Env>, next: () => Promise<void>): Promise<void> => {
    await next()
    shares.add(c.var.principal.name, await escapeAnswer(c))
  }
  const inTurn = async (key: string, act: () => Promise<void>): Promise<void> => {
    waiting.set(key, (waiting.get(key) ?? 0) + 1)
    try {
      await turns.run(key, async () => {
        await wait(shares.pause(key))
        await act()
      })
    } finally {
      const left = (waiting.get(key) ?? 1) - 1
      if (left === 0) waiting.delete(key)
      else waiting.set(key, left)
    }
  }
  return async (c, next) => {
    if (!reads.has(c.req.method) || isOpenPath(c.req.path)) return next()
    const key = c.var.principal.name
    const pause = shares.pause(key)
    if (pause === 0 && !waiting.has(key)) return answer(c, next)
    if ((waiting.get(key) ?? 0) >= limits.readsWaiting) throw slowDown(c, pause)
    const { signal } = c.req.raw
    return inTurn(key, async () => {
      // Nobody hears what is said of a request that was given up, and nothing should be read for it.
      if (signal.aborted) throw slowDown(c, 0)
      await answer(c, next)
    })
  }
}
