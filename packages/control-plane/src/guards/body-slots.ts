// Slots for reading request bodies, with a maximum per sender. When all are taken, requests wait; a slow sender loses its slot
// while others wait.
export interface BodySlot {
  /** Aborts when the slot is revoked. */
  readonly signal: AbortSignal
  /** Call it when the body has arrived. The slot is then no longer revoked. */
  readonly whole: () => void
  readonly giveBack: () => void
}

export interface PlacesOptions {
  readonly most: number
  /** Milliseconds in which a slot is never revoked. */
  readonly time: number
  /** Maximum waiting requests per sender. Beyond it, the oldest one is refused. */
  readonly waiting: number
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

interface Reader {
  readonly at: number
  readonly gone: AbortController
}

interface Sender {
  taken: number
  /** Oldest first. */
  readonly reading: Set<Reader>
  /** Newest first, so that abandoned requests do not delay others. */
  readonly waiting: Waiter[]
  timer: NodeJS.Timeout | undefined
}

/** Revokes the oldest slot when its time is over, if another request waits. */
const watch = (sender: Sender, time: number): void => {
  clearTimeout(sender.timer)
  const [oldest] = sender.reading
  if (oldest === undefined || sender.waiting.length === 0) return
  const end = (): void => {
    sender.reading.delete(oldest)
    oldest.gone.abort()
    watch(sender, time)
  }
  sender.timer = setTimeout(end, oldest.at + time - performance.now()).unref()
}

export class BodySlots {
  readonly #options: PlacesOptions
  readonly #senders = new Map<string, Sender>()

  constructor(options: PlacesOptions) {
    this.#options = options
  }

  /** Number of tracked senders. */
  get size(): number {
    return this.#senders.size
  }

  /** Rejects if `signal` aborts first or too many requests wait. */
  async take(key: string, signal: AbortSignal): Promise<BodySlot> {
    const { most } = this.#options
    const sender = this.#senders.get(key) ?? { taken: 0, reading: new Set(), waiting: [], timer: undefined }
    this.#senders.set(key, sender)
    if (sender.taken < most) sender.taken += 1
    else await this.#wait(sender, signal)
    return this.#open(key, sender)
  }

  async #wait(sender: Sender, signal: AbortSignal): Promise<void> {
    const { time, waiting } = this.#options
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { resolve, reject }
    const leave = (): void => {
      const place = sender.waiting.indexOf(waiter)
      if (place === -1) return
      sender.waiting.splice(place, 1)
      reject(signal.reason)
    }
    sender.waiting.push(waiter)
    if (sender.waiting.length > waiting) sender.waiting.shift()?.reject(new Error('too many requests wait'))
    signal.addEventListener('abort', leave, { once: true })
    watch(sender, time)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #open(key: string, sender: Sender): BodySlot {
    const { time } = this.#options
    const reader: Reader = { at: performance.now(), gone: new AbortController() }
    sender.reading.add(reader)
    watch(sender, time)
    const whole = (): void => {
      if (sender.reading.delete(reader)) watch(sender, time)
    }
    const giveBack = (): void => {
      whole()
      this.#leave(key, sender)
    }
    return { signal: reader.gone.signal, whole, giveBack }
  }

  #leave(key: string, sender: Sender): void {
    const next = sender.waiting.pop()
    if (next !== undefined) return next.resolve()
    sender.taken -= 1
    if (sender.taken === 0) this.#senders.delete(key)
  }
}
