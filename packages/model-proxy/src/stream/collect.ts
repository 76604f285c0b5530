// Collects an answer that is no stream, up to a bound.
import { ModelRefusal } from '../requests/refusal.ts'
import type { Receiver } from './transfer.ts'

export class Collector implements Receiver {
  readonly #most: number
  readonly #overflow: 'cut' | 'refuse'
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(most: number, overflow: 'cut' | 'refuse') {
    this.#most = most
    this.#overflow = overflow
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }

  data(chunk: Buffer): void {
    const room = this.#most - this.#size
    if (chunk.length > room && this.#overflow === 'refuse')
      throw new ModelRefusal('provider-malformed', 'the provider answered with more than may be read')
    this.#size += chunk.length
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    // An error goes on for ever only to keep us busy.
    if (this.#size > 4 * this.#most) throw new ModelRefusal('provider-malformed', 'the provider answered with an error without an end')
  }

  end(): void {}
}
