// Feeds bytes to the tar parser and passes on the entries one at a time, each completely before the next.
import { once } from 'node:events'
import { Header, Parser, type ReadEntry } from 'tar'
import { broken } from './entry.ts'
import { block } from './head.ts'

/** Header types that describe the following entry. */
const extended: ReadonlySet<string> = new Set(['x', 'X', 'g', 'L', 'K', 'N'])

const sizeAt = (bytes: Buffer, at: number): number => {
  try {
    return new Header(bytes, at).size ?? 0
  } catch {
    // The parser reports the error.
    return 0
  }
}

interface Place {
  /** Offset up to which the bytes can be passed on. */
  readonly end: number
  /** Bytes of the current body in the following pieces. */
  readonly rest: number
}

/** @param maxHeader size in bytes above which the parser skips extended headers */
const scanHeaders = (bytes: Buffer, rest: number, most: number): Place => {
  let at = rest
  while (at + block <= bytes.length) {
    const body = Math.ceil(sizeAt(bytes, at) / block) * block
    const isWhole = extended.has(String.fromCharCode(bytes[at + 156] ?? 0)) && body <= most
    if (isWhole && at + block + body > bytes.length) return { end: at, rest: 0 }
    at += block + body
  }
  return at > bytes.length ? { end: bytes.length, rest: at - bytes.length } : { end: at, rest: 0 }
}

async function* completeHeaders(plain: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Buffer> {
  let buffered = Buffer.alloc(0)
  let remaining = 0
  for await (const chunk of plain) {
    const bytes = Buffer.concat([buffered, chunk])
    const { end, rest } = scanHeaders(bytes, remaining, most)
    if (end > 0) yield bytes.subarray(0, end)
    buffered = bytes.subarray(end)
    remaining = rest
  }
  if (buffered.length > 0) yield buffered
}

/** The parser would decompress the data, and a small file could expand to a large one. */
const assertPlain = (first: Uint8Array): void => {
  const magic = Buffer.from(first.subarray(257, 262)).toString('latin1')
  if (magic !== 'ustar') throw broken('the decrypted content is not an archive of files')
}

/** Resolves when the parser accepts data again or has ended. */
const waitUntilWritable = (parser: Parser): Promise<void> =>
  new Promise((resolve) => {
    const events = ['drain', 'end', 'error'] as const
    const onEvent = (): void => {
      for (const event of events) parser.off(event, onEvent)
      resolve()
    }
    for (const event of events) parser.on(event, onEvent)
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
    if (!this.#parser.write(Buffer.from(chunk))) await waitUntilWritable(this.#parser)
    this.#check()
  }

  async end(): Promise<void> {
    this.#parser.end()
    await this.#ended
    await this.#turn
    this.#check()
  }

  /** Ends the current entry with an error, so that its reader releases its files. */
  async abort(error: unknown): Promise<void> {
    this.#fail(error)
    this.#current?.destroy(new Error('the archive ended early'))
    await this.#turn
  }

  #fail(error: unknown): void {
    this.#fault ??= error instanceof Error ? error : new Error(String(error))
  }

  #check(): void {
    if (this.#fault !== undefined) throw this.#fault
  }
}

/** Rejects with the error of `take`, or with that of the parser for invalid bytes. */
export const feed = async (
  plain: AsyncIterable<Uint8Array>,
  take: (entry: ReadEntry) => Promise<void>,
  metaMost: number,
): Promise<void> => {
  const feeder = new Feeder(take, metaMost)
  let begun = false
  try {
    for await (const piece of completeHeaders(plain, metaMost)) {
      if (!begun && piece.length < block) break
      if (!begun) assertPlain(piece)
      begun = true
      await feeder.write(piece)
    }
    if (!begun) throw broken('the decrypted content is too short for an archive')
    await feeder.end()
  } catch (error) {
    await feeder.abort(error)
    throw error
  }
}
