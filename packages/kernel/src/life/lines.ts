// Lines out of a stream, for a reader that leaves nothing of them behind in its buffers.

export interface LineReader {
  push(chunk: Buffer): void
}

export interface LineOptions {
  readonly onLine: (text: string) => void
  /** A line longer than `most` bytes; nothing is read after it. */
  readonly onTooLong: () => void
  readonly most: number
}

/** Overwrites each buffer that it was given once the line in it is handed on. */
export const createLineReader = ({ onLine, onTooLong, most }: LineOptions): LineReader => {
  let chunks: Buffer[] = []
  let size = 0
  const take = (end: Buffer): void => {
    const line = Buffer.concat([...chunks, end])
    for (const part of [...chunks, end]) part.fill(0)
    chunks = []
    size = 0
    const text = line.toString('utf8')
    line.fill(0)
    onLine(text)
  }
  return {
    push: (chunk) => {
      let rest = chunk
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
        take(rest.subarray(0, at))
        rest = rest.subarray(at + 1)
      }
      size += rest.length
      if (size > most) onTooLong()
      else if (rest.length > 0) chunks.push(rest)
    },
  }
}
