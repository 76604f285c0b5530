// So many messages with files are carried at once and no more, since their bytes are in memory meanwhile. What comes first goes first.

export class Porters {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(most: number) {
    this.#free = most
  }

  /** Rejects when the signal aborts before its turn. */
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
