// Counts messages that are being written. Sandbox starts wait for a burst of them to finish, because senders time out and
// launches do not.
import { setTimeout as pause } from 'node:timers/promises'

export interface WriteGateOptions {
  /** Number of concurrent writes that do not delay a launch. */
  readonly few: number
  /** No start waits longer, however many come. Milliseconds. */
  readonly longest: number
}

export class WriteGate {
  readonly #options: WriteGateOptions
  #writing = 0
  #calm: PromiseWithResolvers<void> | undefined

  constructor(options: WriteGateOptions) {
    this.#options = options
  }

  async during<T>(act: () => Promise<T>): Promise<T> {
    this.#writing += 1
    try {
      return await act()
    } finally {
      this.#writing -= 1
      if (!this.#isCrowded()) this.#tell()
    }
  }

  /** Resolves when few are being written, the time is over, or the signal aborts. */
  async calm(signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const late = pause(this.#options.longest, undefined, { signal: AbortSignal.any([signal, over.signal]), ref: false }).catch(
      () => undefined,
    )
    while (this.#isCrowded() && !signal.aborted) {
      this.#calm ??= Promise.withResolvers()
      const ended = await Promise.race([this.#calm.promise.then(() => false), late.then(() => true)])
      if (ended) break
    }
    over.abort()
  }

  /** A launch that meets another burst waits again. */
  #tell(): void {
    this.#calm?.resolve()
    this.#calm = undefined
  }

  #isCrowded(): boolean {
    return this.#writing > this.#options.few
  }
}
