// The last bytes of a stream, for whoever asks later what a server wrote before it ended.

export interface Tail {
  push(chunk: Buffer): void
  text(): string
}

export const createTail = (most: number): Tail => {
  let chunks: Buffer[] = []
  let size = 0
  return {
    push: (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      if (size < 2 * most) return
      chunks = [Buffer.from(Buffer.concat(chunks).subarray(-most))]
      size = most
    },
    text: () => Buffer.concat(chunks).subarray(-most).toString('utf8'),
  }
}
