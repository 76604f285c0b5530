// A call that runs at the server: its context, and the end that comes when the caller no longer waits.
import { ServiceError } from '@gatehouse/contracts'
import type { CallContext } from './contract.ts'
import type { Meta } from './meta.ts'

/** Nearly no handler looks at the signal, so it is made when one does. */
export class RunningCall implements CallContext {
  readonly requestId: string
  readonly traceparent: string | undefined
  readonly #end: number
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #reason: ServiceError | undefined
  #reject: ((reason: ServiceError) => void) | undefined

  constructor(meta: Meta) {
    this.requestId = meta.requestId
    this.traceparent = meta.traceparent
    this.#end = performance.now() + meta.deadline
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    this.#controller = new AbortController()
    if (this.#reason === undefined) {
      this.#timer = setTimeout(() => this.abort(new ServiceError('deadline')), Math.max(1, this.#end - performance.now()))
    } else this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  abort(reason: ServiceError): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#reject?.(reason)
  }

  /** The act's result, or the reason of an abort if that comes first: nobody waits for a handler that does not listen. */
  settle(act: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      // Resolving with the promise itself would bind the call to it, and no abort could end it.
      Promise.resolve(act()).then(resolve, reject)
    })
  }

  /** The call has its answer. */
  done(): void {
    clearTimeout(this.#timer)
  }
}
