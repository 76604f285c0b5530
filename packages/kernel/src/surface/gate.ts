// How many requests of one kind a session may run at once and begin in a minute. Who comes beyond it waits, in the order of coming.
import { createWindow, type Window } from '../rate/window.ts'

export interface Bounds {
  readonly inFlight?: number
  /** Within any minute; a function where the maximum changes. */
  readonly perMinute?: number | (() => number)
  /** Milliseconds that the bound above counts in; a test makes it short. */
  readonly minute?: number
}

export class Gate {
  readonly #inFlight: number
  readonly #max: () => number
  readonly #starts: Window | undefined
  readonly #waiting = new Set<() => void>()
  #running = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ inFlight = Infinity, perMinute, minute = 60_000 }: Bounds) {
    this.#inFlight = inFlight
    this.#max = typeof perMinute === 'function' ? perMinute : () => perMinute ?? Infinity
    this.#starts = perMinute === undefined ? undefined : createWindow({ span: minute })
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
    this.#starts?.add()
  }

  /** Milliseconds until there is room; unknown while too many run. */
  #pause(): number {
    if (this.#running >= this.#inFlight) return Infinity
    return this.#starts?.wait(this.#max()) ?? 0
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
