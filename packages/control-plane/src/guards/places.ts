// Places for bodies that are read, so many of one sender at once. Nobody is refused because all are taken: who comes waits, and who
// takes long over the own body while others wait gives up the place.

export interface Place {
  /** Aborts when the place is taken away. */
  readonly signal: AbortSignal
  /** The body is here: from now on the place stays. */
  readonly whole: () => void
  readonly giveBack: () => void
}

export interface PlacesOptions {
  readonly most: number
  /** Milliseconds that everybody has for a body, however many wait. */
  readonly time: number
}

interface Reader {
  readonly at: number
  readonly gone: AbortController
}

interface Sender {
  taken: number
  /** Oldest first. */
  readonly reading: Set<Reader>
  /** The newest is served first: those that wait for no good keep nobody up. */
  readonly waiting: (() => void)[]
  timer: NodeJS.Timeout | undefined
}

/** The oldest that reads loses its place when its time is over, if somebody waits then. */
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

export class Places {
  readonly #options: PlacesOptions
  readonly #senders = new Map<string, Sender>()

  constructor(options: PlacesOptions) {
    this.#options = options
  }

  /** Senders of whom anything is remembered. */
  get size(): number {
    return this.#senders.size
  }

  async take(key: string): Promise<Place> {
    const { most, time } = this.#options
    const sender = this.#senders.get(key) ?? { taken: 0, reading: new Set(), waiting: [], timer: undefined }
    this.#senders.set(key, sender)
    if (sender.taken < most) sender.taken += 1
    else {
      const { promise, resolve } = Promise.withResolvers<void>()
      sender.waiting.push(resolve)
      watch(sender, time)
      await promise
    }
    return this.#open(key, sender)
  }

  #open(key: string, sender: Sender): Place {
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
    if (next !== undefined) return next()
    sender.taken -= 1
    if (sender.taken === 0) this.#senders.delete(key)
  }
}
