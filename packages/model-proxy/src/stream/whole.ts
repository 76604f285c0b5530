// An answer that is no stream: read to its end, so that it can be counted and searched, then handed on.
import type { ServerResponse } from 'node:http'
import { jsonBounds } from '@gatehouse/contracts'
import { JsonRefused } from '@gatehouse/kernel'
import type { Body } from '../formats/format.ts'
import { isObject } from '../formats/shape.ts'
import type { Finish, ModelCall } from '../requests/call.ts'
import { ModelRefusal } from '../requests/refusal.ts'
import { sendJson } from '../socket/reply.ts'
import { blankText } from './blank.ts'
import { Collector } from './collect.ts'
import type { Delivery } from './delivery.ts'
import { answerHeaders } from './headers.ts'
import type { Head, Receiver } from './transfer.ts'

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
