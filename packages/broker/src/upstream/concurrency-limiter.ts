// Limits the calls that run at once on one connection. The rest wait: first-in first-out within a session, with the sessions taking
// turns, so that a busy session does not hold up the others. A full queue refuses the call.
import { limits } from '@gatehouse/contracts'

export class QueueFull extends Error {
  constructor() {
    super('the queue is full')
    this.name = 'QueueFull'
  }
}

export interface LimiterOptions {
  readonly most?: number
  readonly queue?: number
  /** Called when the number of waiters has changed. */
  readonly onWaiting?: (waiting: number) => void
}

type Release = () => void
/** False if there will be no slot. */
type Grant = (isGranted: boolean) => void

/** Waiters by session; the next session is first. */
class WaitingTurns {
  readonly #sessions = new Map<string, Set<Grant>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(session: string, grant: Grant): void {
    const own = this.#sessions.get(session) ?? new Set()
    this.#sessions.set(session, own.add(grant))
    this.#size += 1
  }

  /** False if it no longer waits. */
  remove(session: string, grant: Grant): boolean {
    const own = this.#sessions.get(session)
    if (own?.delete(grant) !== true) return false
    if (own.size === 0) this.#sessions.delete(session)
    this.#size -= 1
    return true
  }

  /** The first waiter of the next session, which then moves to the end. */
  next(): Grant | undefined {
    const [turn] = this.#sessions
    if (turn === undefined) return undefined
    const [session, own] = turn
    const [grant] = own
    if (grant !== undefined) this.remove(session, grant)
    if (this.#sessions.delete(session)) this.#sessions.set(session, own)
    return grant
  }
}

export class ConcurrencyLimiter {
  readonly #most: number
  readonly #queue: number
  readonly #onWaiting: (waiting: number) => void
  readonly #turns = new WaitingTurns()
  #taken = 0
  #isClosed = false

  constructor({ most = limits.serverCallsInFlight, queue = limits.serverQueue, onWaiting = () => undefined }: LimiterOptions = {}) {
    this.#most = most
    this.#queue = queue
    this.#onWaiting = onWaiting
  }

  /** Whether a slot is in use. */
  get isTaken(): boolean {
    return this.#taken > 0
  }

  /** Grants no further slots; slots in use stay valid. */
  close(): void {
    if (this.#isClosed) return
    this.#onWaiting(0)
    this.#isClosed = true
    for (let next = this.#turns.next(); next !== undefined; next = this.#turns.next()) next(false)
  }

  /** Resolves with the release of a slot, or with nothing once it is closed. Rejects with the signal's reason, or at once with `QueueFull`. */
  async take(session: string, signal: AbortSignal): Promise<Release | undefined> {
    signal.throwIfAborted()
    if (this.#isClosed) return undefined
    if (this.#taken < this.#most) {
      this.#taken += 1
      return this.#releaseOnce()
    }
    if (this.#turns.size >= this.#queue) throw new QueueFull()
    return this.#wait(session, signal)
  }

  #releaseOnce(): Release {
    let held = true
    return () => {
      if (!held) return
      held = false
      const next = this.#turns.next()
      if (next === undefined) this.#taken -= 1
      else next(true)
    }
  }

  async #wait(session: string, signal: AbortSignal): Promise<Release | undefined> {
    const turn = Promise.withResolvers<boolean>()
    const grant: Grant = (isGranted) => turn.resolve(isGranted)
    const giveUp = (): void => {
      if (this.#turns.remove(session, grant)) turn.reject(signal.reason)
    }
    this.#turns.add(session, grant)
    signal.addEventListener('abort', giveUp)
    this.#onWaiting(this.#turns.size)
    try {
      return (await turn.promise) ? this.#releaseOnce() : undefined
    } finally {
      signal.removeEventListener('abort', giveUp)
      if (!this.#isClosed) this.#onWaiting(this.#turns.size)
    }
  }
}
