// Collects an answer that is no stream, up to a bound. Its structure is counted on the bytes while they arrive.
import type { JsonBounds } from '@gatehouse/contracts'
import { describeJsonFault, type JsonFault, JsonScanner, parseScannedJson } from '@gatehouse/kernel'
import { ModelRefusal } from '../requests/refusal.ts'
import type { Receiver } from './transfer.ts'

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

  /** Throws `JsonRefused`, also for what was cut. */
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
    // An error goes on for ever only to keep us busy.
    if (this.#size > 4 * this.#bounds.bytes)
      throw new ModelRefusal('provider-malformed', 'the provider answered with an error without an end')
  }
}
