// A gauge that several connections to one server fill together.

export class Tally {
  readonly #parts = new Map<object, number>()
  readonly #show: (sum: number) => void
  #isOver = false

  constructor(show: (sum: number) => void) {
    this.#show = show
    show(0)
  }

  set(part: object, value: number): void {
    if (value === 0) this.#parts.delete(part)
    else this.#parts.set(part, value)
    if (!this.#isOver) this.#show([...this.#parts.values()].reduce((sum, each) => sum + each, 0))
  }

  /** Nothing is shown from now on. */
  end(): void {
    this.#isOver = true
  }
}
