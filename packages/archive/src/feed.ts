// Feeds bytes to the parser and hands on one entry after the other, each taken whole before the next.
import { once } from 'node:events'
import { Header, Parser, type ReadEntry } from 'tar'
import { broken } from './entry.ts'
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

async function* wholeHeaders(plain: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Buffer> {
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

/** The parser would unpack what is compressed, and a small file could be a large one. */
const assertPlain = (first: Uint8Array): void => {
  const magic = Buffer.from(first.subarray(257, 262)).toString('latin1')
  if (magic !== 'ustar') throw broken('expected an archive of files inside, got something else')
}

/** Until it has room again, or has ended one way or the other. */
const mayGoOn = (parser: Parser): Promise<void> =>
  new Promise((resolve) => {
    const events = ['drain', 'end', 'error'] as const
    const goOn = (): void => {
      for (const event of events) parser.off(event, goOn)
      resolve()
    }
    for (const event of events) parser.on(event, goOn)
  })

class Feeder {
  readonly #parser: Parser
  readonly #ended: Promise<unknown>
  #fault: Error | undefined
  #turn: Promise<void> = Promise.resolve()
  #current: ReadEntry | undefined

  constructor(take: (entry: ReadEntry) => Promise<void>, metaMost: number) {
    const one = async (entry: ReadEntry): Promise<void> => {
      this.#current = entry
      entry.on('error', (error) => this.#fail(error))
      try {
        if (this.#fault === undefined) await take(entry)
      } catch (error) {
        this.#fail(error)
      }
      this.#current = undefined
      entry.resume()
    }
    this.#parser = new Parser({
      strict: true,
      maxMetaEntrySize: metaMost,
      onReadEntry: (entry) => {
        this.#turn = this.#turn.then(() => one(entry))
      },
    })
    this.#parser.on('error', (error) => this.#fail(error))
    this.#ended = once(this.#parser, 'end')
    this.#ended.catch(() => undefined)
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (!this.#parser.write(Buffer.from(chunk))) await mayGoOn(this.#parser)
    this.#check()
  }

  async end(): Promise<void> {
    this.#parser.end()
    await this.#ended
    await this.#turn
    this.#check()
  }

  /** Whoever reads an entry hears that there is no more of it, and lets go of what it wrote to. */
  async giveUp(error: unknown): Promise<void> {
    this.#fail(error)
    this.#current?.destroy(new Error('there is no more of the archive'))
    await this.#turn
  }

  #fail(error: unknown): void {
    this.#fault ??= error instanceof Error ? error : new Error(String(error))
  }

  #check(): void {
    if (this.#fault !== undefined) throw this.#fault
  }
}

/** Rejects with what `take` threw, or with what the parser says of bytes that are no archive. */
export const feed = async (
  plain: AsyncIterable<Uint8Array>,
  take: (entry: ReadEntry) => Promise<void>,
  metaMost: number,
): Promise<void> => {
  const feeder = new Feeder(take, metaMost)
  let begun = false
  try {
    for await (const piece of wholeHeaders(plain, metaMost)) {
      if (!begun && piece.length < block) break
      if (!begun) assertPlain(piece)
      begun = true
      await feeder.write(piece)
    }
    if (!begun) throw broken('expected an archive of files inside, got a few bytes')
    await feeder.end()
  } catch (error) {
    await feeder.giveUp(error)
    throw error
  }
}
