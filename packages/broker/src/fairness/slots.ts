// At most so many at once; the rest wait in the order in which they came, and beyond the queue nobody waits.
import { limits } from '@gatehouse/contracts'

export class QueueFull extends Error {
  constructor() {
    super('the queue is full')
    this.name = 'QueueFull'
  }
}

export interface SlotOptions {
  readonly most?: number
  readonly queue?: number
  /** Told when the number of those who wait has changed. */
  readonly onWaiting?: (waiting: number) => void
}

type Release = () => void

export class Slots {
  readonly #most: number
  readonly #queue: number
  readonly #onWaiting: (waiting: number) => void
  readonly #waiters = new Set<() => void>()
  #taken = 0

  constructor({ most = limits.serverCallsInFlight, queue = limits.serverQueue, onWaiting = () => undefined }: SlotOptions = {}) {
    this.#most = most
    this.#queue = queue
    this.#onWaiting = onWaiting
  }

  /** Resolves with the release of a slot. Rejects with the signal's reason, or at once with `QueueFull`. */
  async take(signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted()
    if (this.#taken < this.#most) {
      this.#taken += 1
      return this.#releaseOnce()
    }
    if (this.#waiters.size >= this.#queue) throw new QueueFull()
    return this.#wait(signal)
  }

  #releaseOnce(): Release {
    let held = true
    return () => {
      if (!held) return
      held = false
      const [next] = this.#waiters
      if (next === undefined) this.#taken -= 1
      else next()
    }
  }

  async #wait(signal: AbortSignal): Promise<Release> {
    const turn = Promise.withResolvers<undefined>()
    const grant = (): void => {
      // Leaves the queue before anybody else can grant it a second slot.
      this.#waiters.delete(grant)
      turn.resolve(undefined)
    }
    const giveUp = (): void => {
      if (this.#waiters.delete(grant)) turn.reject(signal.reason)
    }
    this.#waiters.add(grant)
    signal.addEventListener('abort', giveUp)
    this.#onWaiting(this.#waiters.size)
    try {
      await turn.promise
      return this.#releaseOnce()
    } finally {
      signal.removeEventListener('abort', giveUp)
      this.#onWaiting(this.#waiters.size)
    }
  }
}
