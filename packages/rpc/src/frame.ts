// Frames are lines of JSON. Bytes are counted before anything is joined, and each byte is looked at once.
import { limits, ServiceError } from '@gatehouse/contracts'

const newline = 10

/** One line with its newline. A frame beyond the limit is refused here, by its sender. */
export const encodeFrame = (message: object, most: number = limits.rpcFrame): string => {
  const line = JSON.stringify(message)
  // A UTF-16 unit takes at most three bytes.
  const bytes = line.length * 3 <= most ? 0 : Buffer.byteLength(line)
  if (bytes <= most) return `${line}\n`
  throw new ServiceError('too-large', { detail: `expected a message of at most ${most} bytes, got ${bytes}` })
}

export interface FrameReaderOptions {
  /** Gets each line without its newline, in order. */
  readonly onFrame: (line: string) => void
  /** Nothing is read after this. */
  readonly onOversize: () => void
}

/** Takes bytes in any pieces, gives whole lines. */
export class FrameReader {
  /** Bytes of a line without its newline. */
  most: number
  readonly #options: FrameReaderOptions
  #chunks: Buffer[] = []
  #size = 0
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
    if (this.#fits(part.length)) return
    this.stop()
    this.#options.onOversize()
  }

  #fits(bytes: number): boolean {
    this.#size += bytes
    return this.#size <= this.most
  }

  /** Most frames lie in one chunk and are read where they are. */
  #finish(chunk: Buffer, start: number, end: number): void {
    if (this.#chunks.length > 0) {
      this.#keep(chunk.subarray(start, end))
      if (this.#stopped) return
      const line = Buffer.concat(this.#chunks, this.#size)
      this.#chunks = []
      this.#size = 0
      return this.#options.onFrame(line.toString('utf8'))
    }
    if (end - start > this.most) return this.#keep(chunk.subarray(start, end))
    this.#options.onFrame(chunk.toString('utf8', start, end))
  }
}
