// When a server is connected to again after a failure: pauses that grow, with jitter, and start anew after a good time.
import { limits } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import type { UpstreamFailure } from './failure.ts'

export class Schedule {
  readonly #pauses = backoff({ first: limits.upstreamRetryFirst, most: limits.upstreamRetryMost })
  #upSince = 0
  #last: UpstreamFailure | undefined
  #nextAt = 0

  get last(): UpstreamFailure | undefined {
    return this.#last
  }

  /** Milliseconds until the next attempt; 0 when it may be made now. */
  get wait(): number {
    return this.#last === undefined ? 0 : Math.max(0, this.#nextAt - performance.now())
  }

  up(): void {
    this.#upSince = performance.now()
    this.#last = undefined
  }

  failed(failure: UpstreamFailure): void {
    if (this.#upSince !== 0 && performance.now() - this.#upSince >= limits.upstreamSustained) this.#pauses.reset()
    this.#upSince = 0
    this.#last = failure
    this.#nextAt = performance.now() + (failure.kind === 'denied' ? limits.upstreamRetryDenied : this.#pauses.next())
  }
}
