// Whether the machine's clock is believed where something goes for its age: not until a while after a leap, which somebody may set right.

export interface Source {
  /** Milliseconds since the epoch, as the machine has it. */
  now(): number
  /** Milliseconds that have passed, whatever is set on the machine. */
  elapsed(): number
}

const machine: Source = { now: () => Date.now(), elapsed: () => performance.now() }

export class Believed {
  readonly #span: number
  readonly #source: Source
  /** From then on there was no leap. */
  #since: number
  #seen: number
  #looked: number

  /**
   * @param span milliseconds: by more than twice as many nobody is away unless the clock leapt, and so long it is not believed then
   * @param seen times that were seen before, in their order
   */
  constructor(span: number, seen: readonly number[], source: Source = machine) {
    this.#span = span
    this.#source = source
    this.#since = this.#seen = seen[0] ?? source.now()
    this.#looked = source.elapsed()
    for (const time of seen) this.#pass(time, 0)
  }

  look(): { readonly now: number; readonly isBelieved: boolean } {
    const [now, elapsed] = [this.#source.now(), this.#source.elapsed()]
    this.#pass(now, elapsed - this.#looked)
    this.#looked = elapsed
    return { now, isBelieved: now - this.#since >= this.#span }
  }

  #pass(time: number, elapsed: number): void {
    const leapt = time - this.#seen > elapsed + 2 * this.#span
    // Set back it is as believable as it was before it leapt.
    this.#since = leapt ? time : Math.min(this.#since, time)
    this.#seen = time
  }
}
