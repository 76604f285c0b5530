// Limits how many messages with files are sent at once, since their bytes are in memory. FIFO order.
import { type Delivery, limits, type SessionID } from '@gatehouse/contracts'

export class Senders {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(most: number) {
    this.#free = most
  }

  /** Rejects if the signal aborts before a slot is free. */
  async during<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    await this.#take(signal)
    try {
      return await act()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const go = (): void => resolve(undefined)
    const giveUp = (): void => {
      const place = this.#waiting.indexOf(go)
      if (place !== -1) this.#waiting.splice(place, 1)
      reject(signal.reason)
    }
    this.#waiting.push(go)
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }
}

/** Maximum number of tracked conversations; beyond it the oldest start time is dropped. */
const maxTracked = 10_000

export class Attempts {
  readonly #since = new Map<SessionID, { readonly seq: number; readonly at: number }>()

  /** Records a failed attempt. True when attempts have failed longer than the time limit. */
  fail({ session, seq }: Pick<Delivery, 'session' | 'seq'>): boolean {
    const now = performance.now()
    const known = this.#since.get(session)
    if (known?.seq === seq) return now - known.at > limits.channelGiveUp
    const [first] = this.#since.keys()
    if (this.#since.size >= maxTracked && first !== undefined) this.#since.delete(first)
    this.#since.set(session, { seq, at: now })
    return false
  }

  /** Delivered, given up, or suspended. */
  forget(session: SessionID): void {
    this.#since.delete(session)
  }
}
