// Forwards an answer that is not a stream: reads it completely, counts and redacts it, then sends it.
import type { ServerResponse } from 'node:http'
import { isObject, jsonBounds, type JsonBounds } from '@gatehouse/contracts'
import { describeJsonFault, type JsonFault, JsonRefused, JsonScanner, parseScannedJson } from '@gatehouse/kernel'
import type { Finish, ModelCall } from '../call.ts'
import type { Body } from '../formats/format.ts'
import { ModelRefusal, sendJson } from '../refusal.ts'
import type { Delivery } from './events.ts'
import { answerHeaders, blankText } from './headers.ts'
import type { Head, Receiver } from './transfer.ts'

/** Collects a non-streamed answer up to a limit. Its structure is counted while the bytes arrive. */
export class Collector implements Receiver {
  readonly #bounds: JsonBounds
  readonly #overflow: 'cut' | 'refuse'
  readonly #scanner: JsonScanner
  readonly #chunks: Buffer[] = []
  #size = 0
  #fault: JsonFault | undefined

  constructor(bounds: JsonBounds, overflow: 'cut' | 'refuse') {
    this.#bounds = bounds
    this.#overflow = overflow
    this.#scanner = new JsonScanner(bounds)
  }

  /** Throws `JsonRefused`, also for a truncated answer. */
  parse(): unknown {
    return parseScannedJson(this.#fault === undefined ? Buffer.concat(this.#chunks).toString('utf8') : '', this.#bounds)
  }

  data(chunk: Buffer): void {
    this.#size += chunk.length
    this.#fault ??= this.#scanner.push(chunk)
    if (this.#fault === undefined) this.#chunks.push(chunk)
    else this.#over(this.#fault)
  }

  end(): void {}

  #over(fault: JsonFault): void {
    if (this.#overflow === 'refuse')
      throw new ModelRefusal('provider-malformed', `the answer of the provider ${describeJsonFault(fault, this.#bounds)}`)
    this.#chunks.length = 0
    // An endless error body would only keep the proxy busy.
    if (this.#size > 4 * this.#bounds.bytes)
      throw new ModelRefusal('provider-malformed', 'the provider answered with an error without an end')
  }
}

const malformed = (what: string): ModelRefusal => new ModelRefusal('provider-malformed', `the provider answered with ${what}`)

const parse = (collector: Collector): Body => {
  try {
    const value = collector.parse()
    if (isObject(value)) return value
  } catch (error) {
    if (error instanceof JsonRefused) throw malformed('what is no JSON')
    throw error
  }
  throw malformed('JSON that is no object')
}

export class WholeAnswer implements Receiver {
  readonly #collector = new Collector(jsonBounds.modelAnswer, 'refuse')
  readonly #delivery: Delivery
  readonly #head: Head
  readonly #call: ModelCall

  constructor(delivery: Delivery, head: Head, call: ModelCall) {
    this.#delivery = delivery
    this.#head = head
    this.#call = call
  }

  data(chunk: Buffer): void {
    this.#call.firstByte ??= performance.now() - this.#call.started
    this.#call.bytesOut += chunk.length
    this.#collector.data(chunk)
  }

  end(): void {}

  finish(response: ServerResponse): Finish {
    const answer = parse(this.#collector)
    const { ask, secret } = this.#delivery
    this.#call.usage = () => ask.route.path.format.usage(answer)
    this.#call.end = 'whole'
    const text = blankText(JSON.stringify(answer), secret)
    return () => sendJson(response, { status: 200, text, headers: answerHeaders(this.#head.headers, secret) })
  }
}
