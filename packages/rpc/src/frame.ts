// Frames are lines of JSON. Bytes and structure are bounded before anything is joined or parsed.
import { jsonBounds, limits, ServiceError } from '@gatehouse/contracts'
import { describeJsonFault, type JsonFault, JsonScanner } from '@gatehouse/kernel'

const newline = 10

/** One line with its newline. A frame beyond the limit is refused here, by its sender. */
export const encodeFrame = (message: object, most: number = limits.rpcFrame): string => {
  const line = JSON.stringify(message)
  // A UTF-16 unit takes at most three bytes.
  const bytes = line.length * 3 <= most ? 0 : Buffer.byteLength(line)
  if (bytes > most) throw new ServiceError('too-large', { detail: `expected a message of at most ${most} bytes, got ${bytes}` })
  // Two values have a character between them: only a long line can hold too many.
  const fault = line.length < jsonBounds.rpcFrame.values * 2 ? undefined : new JsonScanner(jsonBounds.rpcFrame).push(Buffer.from(line))
  if (fault !== undefined) throw new ServiceError('too-large', { detail: `the message ${describeJsonFault(fault, jsonBounds.rpcFrame)}` })
  return `${line}\n`
}

export interface FrameReaderOptions {
  /** Gets each line without its newline, in order. */
  readonly onFrame: (line: string) => void
  /** Nothing is read after this. */
  readonly onOversize: (fault: JsonFault) => void
}

/** Takes bytes in any pieces, gives whole lines. */
export class FrameReader {
  /** Bytes of a line without its newline. */
  most: number
  readonly #options: FrameReaderOptions
  #chunks: Buffer[] = []
  #size = 0
  #scanner = new JsonScanner(jsonBounds.rpcFrame)
  #stopped = false

  constructor(most: number, options: FrameReaderOptions) {
    this.most = most
    this.#options = options
  }

  push(chunk: Buffer): void {
    let start = 0
    while (!this.#stopped && start < chunk.length) {
      const end = chunk.indexOf(newline, start)
      if (end < 0) return this.#keep(chunk.subarray(start))
      this.#finish(chunk, start, end)
      start = end + 1
    }
  }

  /** Drops what is there and what still comes. */
  stop(): void {
    this.#stopped = true
    this.#chunks = []
    this.#size = 0
  }

  #keep(part: Buffer): void {
    // The buffer that it lies in may be the socket's, for the next bytes.
    this.#chunks.push(Buffer.from(part))
    this.#size += part.length
    this.#check(part)
  }

  /** False where nothing more is read. */
  #check(part: Buffer): boolean {
    const fault = this.#size > this.most ? 'bytes' : this.#scanner.push(part)
    if (fault === undefined) return true
    this.stop()
    this.#options.onOversize(fault)
    return false
  }

  /** Most frames lie in one chunk and are read where they are. */
  #finish(chunk: Buffer, start: number, end: number): void {
    const part = chunk.subarray(start, end)
    this.#size += part.length
    if (!this.#check(part)) return
    const line = this.#chunks.length === 0 ? part : Buffer.concat([...this.#chunks, part], this.#size)
    this.#chunks = []
    this.#size = 0
    this.#scanner = new JsonScanner(jsonBounds.rpcFrame)
    this.#options.onFrame(line.toString('utf8'))
  }
}
