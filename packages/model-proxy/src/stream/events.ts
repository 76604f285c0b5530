// Forwards a streamed answer as it arrives, no faster than the caller reads.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { limits } from '@gatehouse/contracts'
import type { Dispatcher } from 'undici'
import type { Finish, ModelCall } from '../call.ts'
import { ModelRefusal } from '../refusal.ts'
import type { Ask } from '../requests/ask.ts'
import { answerHeaders } from './headers.ts'
import type { Flow, Head, Receiver } from './transfer.ts'
import { StreamWatch } from './watch.ts'

const faults = {
  leak: () =>
    new ModelRefusal('provider-leaked-key', "the provider sent the unit's own key: the stream was ended before the key was passed on"),
  'endless-line': () => new ModelRefusal('provider-malformed', 'the provider sent an event without an end'),
} as const

export class EventStream implements Receiver {
  readonly #watch: StreamWatch
  readonly #delivery: Delivery
  readonly #response: ServerResponse
  readonly #flow: Flow
  readonly #call: ModelCall
  /** Result of the current read. */
  #chunks: Buffer[] = []

  constructor(delivery: Delivery, head: Head, { flow, call }: { flow: Flow; call: ModelCall }) {
    this.#delivery = delivery
    this.#response = delivery.response
    this.#flow = flow
    this.#call = call
    this.#watch = new StreamWatch(delivery.ask.route.path.format, delivery.secret)
    call.usage = () => this.#watch.meter.usage
    call.end = 'cut'
    call.streamed = true
    this.#begin(head)
  }

  data(chunk: Buffer): void {
    this.#call.firstByte ??= performance.now() - this.#call.started
    this.#call.bytesOut += chunk.length
    if (this.#call.bytesOut > limits.modelAnswer) throw faults['endless-line']()
    if (this.#chunks.push(chunk) === 1) process.nextTick(() => this.#passOnSafely())
  }

  end(): void {
    this.#passOn()
    const tail = this.#watch.end()
    if (tail !== undefined && tail.length > 0) this.#write(tail)
  }

  finish(): Finish {
    this.#call.end = 'whole'
    return () => this.#response.end()
  }

  /** Reports the failure as an event of the format. In the middle of an event nothing can be reported. */
  fail(code: string, message: string): Finish {
    return () => {
      if (this.#response.destroyed) return
      if (this.#watch.isInLine) this.#response.destroy()
      else this.#response.end(this.#delivery.ask.route.path.format.failure(code, message))
    }
  }

  /** Headers are sent with the first event, or alone if no event arrives immediately. */
  #begin({ headers }: Head): void {
    const { secret } = this.#delivery
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      ...answerHeaders(headers, secret),
    })
    setImmediate(() => {
      if (!this.#response.destroyed) this.#response.flushHeaders()
    })
    this.#response.on('drain', () => this.#flow.resume())
  }

  #passOnSafely(): void {
    try {
      this.#passOn()
    } catch (error) {
      this.#flow.fail(error)
    }
  }

  #passOn(): void {
    const [first] = this.#chunks
    if (first === undefined) return
    const bytes = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#chunks = []
    const watched = this.#watch.push(bytes)
    if ('fault' in watched) throw faults[watched.fault]()
    if (watched.bytes.length > 0) this.#write(watched.bytes)
  }

  #write(bytes: Buffer): void {
    if (!this.#response.write(bytes)) this.#flow.pause()
  }
}

/** A request to a provider, its caller, and the destination of its answer. */
export interface Delivery {
  readonly ask: Ask
  /** The body to send. */
  readonly body: string
  readonly headers: IncomingHttpHeaders
  readonly response: ServerResponse
  readonly agent: Pick<Dispatcher, 'dispatch'>
  readonly secret: string | null
  readonly signal: AbortSignal
}
