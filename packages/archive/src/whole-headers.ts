// Hands on an archive in pieces of which none ends within an extended header: the parser makes text of each piece by
// itself, and a character that lay in two would be lost, and the whole archive with it.
import { Header } from 'tar'
import { block } from './head.ts'

/** Types of headers that say something of the entry after them. */
const extended: ReadonlySet<string> = new Set(['x', 'X', 'g', 'L', 'K', 'N'])

const sizeAt = (bytes: Buffer, at: number): number => {
  try {
    return new Header(bytes, at).size ?? 0
  } catch {
    // The parser says what is wrong with it.
    return 0
  }
}

interface Place {
  /** Up to here it may be handed on. */
  readonly end: number
  /** Of the body that the next piece goes on with. */
  readonly rest: number
}

/** @param most longer extended headers are passed over by the parser */
const goThrough = (bytes: Buffer, rest: number, most: number): Place => {
  let at = rest
  while (at + block <= bytes.length) {
    const body = Math.ceil(sizeAt(bytes, at) / block) * block
    const isWhole = extended.has(String.fromCharCode(bytes[at + 156] ?? 0)) && body <= most
    if (isWhole && at + block + body > bytes.length) return { end: at, rest: 0 }
    at += block + body
  }
  return at > bytes.length ? { end: bytes.length, rest: at - bytes.length } : { end: at, rest: 0 }
}

export async function* wholeHeaders(plain: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Buffer> {
  let kept = Buffer.alloc(0)
  let passed = 0
  for await (const chunk of plain) {
    const bytes = Buffer.concat([kept, chunk])
    const { end, rest } = goThrough(bytes, passed, most)
    if (end > 0) yield bytes.subarray(0, end)
    kept = bytes.subarray(end)
    passed = rest
  }
  if (kept.length > 0) yield kept
}
