// How many requests of one kind a session may run at once and begin in a minute. Who comes beyond it waits, in the order of coming.
export interface Bounds {
  readonly inFlight?: number
  /** Within any minute. */
  readonly perMinute?: number
  /** Milliseconds that the bound above counts in; a test makes it short. */
  readonly minute?: number
}

/** The moments of the last `most` starts, in a ring that grows to that size only when it is needed. */
class Starts {
  readonly #most: number
  readonly #times: number[] = []
  #next = 0

  constructor(most: number) {
    this.#most = most
  }

  /** The start that has to be long enough ago before another one may be. */
  get oldest(): number {
    return this.#times.length < this.#most ? -Infinity : (this.#times[this.#next] ?? -Infinity)
  }

  add(time: number): void {
    this.#times[this.#next] = time
    this.#next = (this.#next + 1) % this.#most
  }
}

export class Gate {
  readonly #inFlight: number
  readonly #minute: number
  readonly #starts: Starts | undefined
  readonly #waiting = new Set<() => void>()
  #running = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ inFlight = Infinity, perMinute, minute = 60_000 }: Bounds) {
    this.#inFlight = inFlight
    this.#minute = minute
    this.#starts = perMinute === undefined ? undefined : new Starts(perMinute)
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** True: it is in, and has to leave. */
  tryEnter(): boolean {
    if (this.#waiting.size > 0 || this.#pause() > 0) return false
    this.#count()
    return true
  }

  /** `enter` runs when there is room; it is in then, and has to leave. Answers how to stop waiting. */
  wait(enter: () => void): () => void {
    this.#waiting.add(enter)
    this.#admit()
    return () => void this.#waiting.delete(enter)
  }

  leave(): void {
    this.#running -= 1
    this.#admit()
  }

  #count(): void {
    this.#running += 1
    this.#starts?.add(performance.now())
  }

  /** Milliseconds until there is room; unknown while too many run. */
  #pause(): number {
    if (this.#running >= this.#inFlight) return Infinity
    return this.#starts === undefined ? 0 : this.#starts.oldest + this.#minute - performance.now()
  }

  #admit(): void {
    for (const enter of this.#waiting) {
      const pause = this.#pause()
      if (pause > 0) return this.#admitLater(pause)
      this.#waiting.delete(enter)
      this.#count()
      enter()
    }
  }

  /** A request that runs admits the next one when it leaves. */
  #admitLater(pause: number): void {
    clearTimeout(this.#timer)
    if (pause !== Infinity) this.#timer = setTimeout(() => this.#admit(), Math.ceil(pause)).unref()
  }
}
