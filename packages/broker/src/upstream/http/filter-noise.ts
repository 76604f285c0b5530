// Filters the event stream of a remote server so that it cannot starve others: one kind of line end, chunks of few lines, a turn of the
// event loop between two chunks, and a bound on the structure of each event.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { jsonBounds } from '@gatehouse/contracts'
import { JsonScanner } from '@gatehouse/kernel'
import { AnswerRefused } from '../base/failure.ts'

const [lineFeed, carriageReturn] = [10, 13]

const field = Buffer.from('data:')
const lineEnd = Buffer.from('\n')

/**
 * Checks the structure of each event on its bytes: its `data:` lines together are one document. Takes a stream whose lines end with line
 * feeds, in any chunks. Throws `AnswerRefused`.
 */
class EventScanner {
  #document = new JsonScanner(jsonBounds.upstreamMessage)
  /** Bytes of the present line that are those of the field's name so far; -1: it is another line. */
  #matched = 0
  #isBlank = true

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length;) {
      const found = bytes.indexOf(lineFeed, from)
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

/** Lines of one piece: what an event sets going is done before others have their turn. */
const maxLines = 32
/** Milliseconds between two pieces of a stream that nobody asked for. */
const restTime = 2

export interface FilterOptions {
  /** It answers a request, which ends at its time. */
  readonly isAsked: boolean
}

/** Writes every line end as a line feed: three kinds are allowed, and looking for two at once slows down the reader of events. */
const createLineEndNormalizer = (): ((chunk: Uint8Array) => Uint8Array) => {
  let wasReturn = false
  return (chunk) => {
    if (!wasReturn && !chunk.includes(carriageReturn)) return chunk
    const text = new Uint8Array(chunk.length)
    let size = 0
    for (const byte of chunk) {
      if (byte !== lineFeed || !wasReturn) text[size++] = byte === carriageReturn ? lineFeed : byte
      wasReturn = byte === carriageReturn
    }
    return text.subarray(0, size)
  }
}

/** Offset behind `maxLines` lines, or the end. Blank lines do not count. */
const endOfLines = (text: Uint8Array, from: number): number => {
  let at = from
  for (let lines = 0; lines < maxLines;) {
    const end = text.indexOf(lineFeed, at)
    if (end < 0) return text.length
    if (end > at) lines += 1
    at = end + 1
  }
  return at
}

export async function* filterNoise(body: AsyncIterable<Uint8Array>, { isAsked }: FilterOptions): AsyncGenerator<Uint8Array> {
  const normalize = createLineEndNormalizer()
  const scanner = new EventScanner()
  for await (const chunk of body) {
    const text = normalize(chunk)
    scanner.push(text)
    for (let from = 0; from < text.length;) {
      const to = endOfLines(text, from)
      yield text.subarray(from, to)
      if (!isAsked) await pause(restTime)
      else if (to < text.length) await nextTurn()
      from = to
    }
  }
}
