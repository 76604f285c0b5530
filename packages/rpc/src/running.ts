// A call that runs at the server: its context, and the end that comes when the caller no longer waits.
import { ServiceError } from '@gatehouse/contracts'
import type { CallContext } from './contract.ts'
import type { Meta } from './meta.ts'

/** Nearly no handler looks at the signal, so it is made when one does. */
export class RunningCall implements CallContext {
  readonly requestId: string
  readonly traceparent: string | undefined
  readonly #timer: NodeJS.Timeout
  readonly #ended = Promise.withResolvers<never>()
  #controller: AbortController | undefined
  #reason: ServiceError | undefined

  constructor(meta: Meta) {
    this.requestId = meta.requestId
    this.traceparent = meta.traceparent
    this.#timer = setTimeout(() => this.abort(new ServiceError('deadline')), meta.deadline)
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  abort(reason: ServiceError): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#ended.reject(reason)
  }

  /** The act's result, or the reason of an abort if that comes first: nobody waits for a handler that does not listen. */
  async settle<T>(act: () => Promise<T> | T): Promise<T> {
    try {
      return await Promise.race([act(), this.#ended.promise])
    } finally {
      clearTimeout(this.#timer)
    }
  }
}
