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
      this.#keep(chunk.subarray(start, end < 0 ? chunk.length : end))
      if (end < 0) return
      if (!this.#stopped) this.#options.onFrame(this.#take())
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
    this.#size += part.length
    this.#chunks.push(part)
    if (this.#size <= this.most) return
    this.stop()
    this.#options.onOversize()
  }

  #take(): string {
    const [only] = this.#chunks
    const line = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#size)
    this.#chunks = []
    this.#size = 0
    return line.toString('utf8')
  }
}
