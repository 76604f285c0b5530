// Cuts a byte stream into lines in linear time. A line over a limit is dropped by itself; only its two ends are kept.
import type { JsonFault } from '@gatehouse/kernel'

export interface OverlongLine {
  readonly head: string
  readonly tail: string
  /** The limit that it is over. */
  readonly fault: JsonFault
}

/** Sees the bytes of one line as they arrive. */
export interface LineWatch {
  push(bytes: Uint8Array): JsonFault | undefined
}

export interface LineOptions {
  /** Bytes of the longest line. */
  readonly most: number
  readonly onLine: (line: string) => void
  readonly onOverlong: (line: OverlongLine) => void
  /** The beginning of a line that has just gone over a limit: its receiver need not wait for the end. */
  readonly onOverrun?: (line: Omit<OverlongLine, 'tail'>) => void
  /** A new one for each line. */
  readonly watch?: () => LineWatch
}

/** Bytes of each end that are kept: enough to find the id of a response. */
const kept = 1024
/** Bytes of a piece that is put together with others: a line that comes byte by byte must not cost an object for each. */
const small = 4 * 1024

/** Pieces of equal size become one, so that each byte is copied a few times at most. */
const join = (pieces: Buffer[]): void => {
  for (;;) {
    const [before, last] = pieces.slice(-2)
    if (before === undefined || last === undefined || before.length > small || before.length > last.length) return
    pieces.splice(-2, 2, Buffer.concat([before, last]))
  }
}

const lastBytes = (chunks: readonly Buffer[]): Buffer => {
  const wanted: Buffer[] = []
  for (let at = chunks.length - 1, size = 0; at >= 0 && size < kept; at -= 1) {
    const chunk = chunks[at]
    if (chunk === undefined) break
    wanted.unshift(chunk)
    size += chunk.length
  }
  return Buffer.from(Buffer.concat(wanted).subarray(-kept))
}

/** Gives the function that takes the next chunk. */
export const createLines = ({ most, onLine, onOverlong, onOverrun, watch }: LineOptions): ((chunk: Buffer) => void) => {
  let chunks: Buffer[] = []
  let size = 0
  let over: Omit<OverlongLine, 'tail'> | null = null
  let watching: LineWatch | undefined

  const take = (piece: Buffer): void => {
    size += piece.length
    chunks.push(piece)
    if (over === null) {
      watching ??= watch?.()
      const fault = size > most ? 'bytes' : watching?.push(piece)
      if (fault === undefined) return join(chunks)
      over = { head: Buffer.concat(chunks).subarray(0, kept).toString('utf8'), fault }
      onOverrun?.(over)
    }
    chunks = [lastBytes(chunks)]
  }
  const end = (): void => {
    const line = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
    if (over !== null) onOverlong({ ...over, tail: line.toString('utf8') })
    else if (size > 0) onLine(line.toString('utf8'))
    chunks = []
    size = 0
    over = null
    watching = undefined
  }
  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, at))
      end()
      from = at + 1
    }
    if (from < chunk.length) take(chunk.subarray(from))
  }
}
