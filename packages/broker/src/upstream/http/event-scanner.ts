// Bounds the structure of each event of a stream on its bytes: what its `data:` lines hold together is one document.
import { jsonBounds } from '@gatehouse/contracts'
import { JsonScanner } from '@gatehouse/kernel'
import { AnswerRefused } from '../failure.ts'

const feed = 10
const field = Buffer.from('data:')
const lineEnd = Buffer.from('\n')

/** Takes the bytes of a stream whose lines end with line feeds, in any pieces. Throws `AnswerRefused`. */
export class EventScanner {
  #document = new JsonScanner(jsonBounds.upstreamMessage)
  /** Bytes of the present line that are those of the field's name so far; -1: it is another line. */
  #matched = 0
  #isBlank = true

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length;) {
      const found = bytes.indexOf(feed, from)
      this.#readLine(bytes.subarray(from, found < 0 ? bytes.length : found))
      if (found < 0) return
      this.#endLine()
      from = found + 1
    }
  }

  #readLine(part: Uint8Array): void {
    if (part.length > 0) this.#isBlank = false
    let at = 0
    for (; at < part.length && this.#matched >= 0 && this.#matched < field.length; at += 1) this.#matched = this.#match(part[at] ?? 0)
    if (this.#matched === field.length) this.#scan(part.subarray(at))
  }

  /** A stream may begin with a byte order mark, which its reader drops: what is no ASCII does not hide a field. */
  #match(byte: number): number {
    if (byte >= 0x80 && this.#matched === 0) return 0
    return byte === field[this.#matched] ? this.#matched + 1 : -1
  }

  #endLine(): void {
    if (this.#isBlank) this.#document = new JsonScanner(jsonBounds.upstreamMessage)
    else if (this.#matched === field.length) this.#scan(lineEnd)
    this.#matched = 0
    this.#isBlank = true
  }

  #scan(part: Uint8Array): void {
    const fault = this.#document.push(part)
    if (fault !== undefined) throw new AnswerRefused(fault)
  }
}
