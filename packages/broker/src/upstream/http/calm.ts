// Makes of whatever a remote server sends as its events a stream that harms nobody else: with one kind of line end, in pieces of few
// lines, with a turn for others between two of them.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { EventScanner } from './event-scanner.ts'

const [feed, ret] = [10, 13]
/** Lines of one piece: what an event sets going is done before others have their turn. */
const mostLines = 32
/** Milliseconds between two pieces of a stream that nobody asked for. */
const rest = 2

export interface CalmOptions {
  /** It answers a request, which ends at its time. */
  readonly isAsked: boolean
}

/** Every line end as a line feed: three kinds of them are allowed, and to look for two at once takes the reader of events very long. */
const createFeeds = (): ((chunk: Uint8Array) => Uint8Array) => {
  let wasReturn = false
  return (chunk) => {
    if (!wasReturn && !chunk.includes(ret)) return chunk
    const text = new Uint8Array(chunk.length)
    let size = 0
    for (const byte of chunk) {
      if (byte !== feed || !wasReturn) text[size++] = byte === ret ? feed : byte
      wasReturn = byte === ret
    }
    return text.subarray(0, size)
  }
}

/** Offset behind so many lines, or the end. Blank ones cost nothing. */
const endOfLines = (text: Uint8Array, from: number): number => {
  let at = from
  for (let lines = 0; lines < mostLines;) {
    const end = text.indexOf(feed, at)
    if (end < 0) return text.length
    if (end > at) lines += 1
    at = end + 1
  }
  return at
}

export async function* calm(body: AsyncIterable<Uint8Array>, { isAsked }: CalmOptions): AsyncGenerator<Uint8Array> {
  const withFeeds = createFeeds()
  const scanner = new EventScanner()
  for await (const chunk of body) {
    const text = withFeeds(chunk)
    scanner.push(text)
    for (let from = 0; from < text.length;) {
      const to = endOfLines(text, from)
      yield text.subarray(from, to)
      if (!isAsked) await pause(rest)
      else if (to < text.length) await nextTurn()
      from = to
    }
  }
}
