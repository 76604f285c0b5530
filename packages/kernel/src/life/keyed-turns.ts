// Runs acts of one key one after the other, in the order in which they were asked for; those of other keys beside them.

export class KeyedTurns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** A failed act fails for who asked for it, and stops none of the later ones. */
  async run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(act)
    const turn = result.catch(() => undefined)
    this.#last.set(key, turn)
    try {
      return await result
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key)
    }
  }
}
