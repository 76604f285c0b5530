// Frames are lines of JSON. Bytes are counted before anything is joined, and each byte is looked at once.
import { limits, ServiceError } from '@gatehouse/contracts'

const newline = 10

/** One line with its newline. A frame beyond the limit is refused here, by its sender. */
export const encodeFrame = (message: unknown, most: number = limits.rpcFrame): string => {
  const line = JSON.stringify(message)
  // A UTF-16 unit takes at most three bytes.
  const bytes = line.length * 3 <= most ? 0 : Buffer.byteLength(line)
  if (bytes <= most) return `${line}\n`
  throw new ServiceError('too-large', { detail: `expected a message of at most ${most} bytes, got ${bytes}` })
}

export interface FrameReaderOptions {
  /** Gets each line without its newline, in order. */
  onFrame(line: string): void
  /** Nothing is read after this. */
  onOversize(): void
  readonly most?: number
}

export interface FrameReader {
  push(chunk: Buffer): void
  /** Drops what is there and what still comes. */
  stop(): void
}

export const createFrameReader = ({ onFrame, onOversize, most = limits.rpcFrame }: FrameReaderOptions): FrameReader => {
  let chunks: Buffer[] = []
  let size = 0
  let stopped = false

  const stop = (): void => {
    stopped = true
    chunks = []
    size = 0
  }
  const add = (part: Buffer): boolean => {
    size += part.length
    if (size > most) {
      stop()
      onOversize()
      return false
    }
    chunks.push(part)
    return true
  }
  const take = (): string => {
    const [only] = chunks
    const line = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size)
    chunks = []
    size = 0
    return line.toString('utf8')
  }
  return {
    push: (chunk) => {
      let start = 0
      for (let end = chunk.indexOf(newline); !stopped && end >= 0; end = chunk.indexOf(newline, start)) {
        if (!add(chunk.subarray(start, end))) return
        start = end + 1
        onFrame(take())
      }
      if (!stopped && start < chunk.length) add(start === 0 ? chunk : chunk.subarray(start))
    },
    stop,
  }
}
