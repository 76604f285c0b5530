// Counts what a server sends and cuts it at the limit. A stream of events may go on for ever; one event may not.
import { OutboundFailure } from './failure.ts'

const boundaries = ['\n\n', '\n\r\n', '\r\r'].map((text) => Buffer.from(text))

/** Offsets behind the first and the last end of an event in these bytes; null when none ends there. */
const eventEnds = (bytes: Buffer): { first: number; last: number } | null => {
  const found = boundaries.flatMap((boundary) => {
    const first = bytes.indexOf(boundary)
    return first < 0 ? [] : [{ first: first + boundary.length, last: bytes.lastIndexOf(boundary) + boundary.length }]
  })
  return found.length === 0 ? null : { first: Math.min(...found.map((end) => end.first)), last: Math.max(...found.map((end) => end.last)) }
}

export async function* limitBody(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > most) throw new OutboundFailure('too-large')
    yield chunk
  }
}

export async function* limitEvents(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0
  let before = Buffer.alloc(0)
  for await (const chunk of body) {
    // An end may lie across two chunks: two bytes of the one before are enough to see it.
    const seen = Buffer.concat([before, chunk])
    const ends = eventEnds(seen)
    const grown = size + (ends === null ? chunk.length : ends.first - before.length)
    if (grown > most) throw new OutboundFailure('too-large')
    size = ends === null ? grown : seen.length - ends.last
    before = Buffer.from(seen.subarray(-2))
    yield chunk
  }
}
