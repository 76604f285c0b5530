// Reads lines from the pipes of a sandbox, with limits per second and in total. Output beyond the limits is dropped and never blocks.
import { StringDecoder } from 'node:string_decoder'
import { limits } from '@gatehouse/contracts'

const longestLine = 64 * 1024

export interface OutputCaps {
  readonly perSecond: number
  readonly total: number
}

export interface Output {
  readonly lines: AsyncIterable<string>
  /** A line splitter for one pipe: chunks of two pipes must not share a line. */
  pipe(): (chunk: Uint8Array) => void
  end(): void
}

class LineQueue implements AsyncIterator<string, undefined> {
  readonly #caps: OutputCaps
  readonly #lines: string[] = []
  #queued = 0
  #ended = false
  #wake: (() => void) | null = null

  constructor(caps: OutputCaps) {
    this.#caps = caps
  }

  push(line: string): boolean {
    if (this.#ended || this.#queued + line.length > this.#caps.perSecond) return false
    this.#lines.push(line)
    this.#queued += line.length
    this.#wake?.()
    return true
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    while (this.#lines.length === 0) {
      if (this.#ended) return { done: true, value: undefined }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const value = this.#lines.shift() ?? ''
    this.#queued -= value.length
    return { done: false, value }
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.end()
    this.#lines.length = 0
    this.#queued = 0
    return { done: true, value: undefined }
  }
}

class Budget {
  readonly #caps: OutputCaps
  #second = 0
  #inSecond = 0
  #total = 0

  constructor(caps: OutputCaps) {
    this.#caps = caps
  }

  take(bytes: number): boolean {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#inSecond = 0
    }
    this.#inSecond += bytes
    this.#total += bytes
    return this.#inSecond <= this.#caps.perSecond && this.#total <= this.#caps.total
  }

  get exhausted(): boolean {
    return this.#total > this.#caps.total
  }
}

export const createOutput = (caps: OutputCaps = { perSecond: limits.sandboxOutputPerSecond, total: limits.sandboxOutput }): Output => {
  const queue = new LineQueue(caps)
  const budget = new Budget(caps)
  const flushes: (() => void)[] = []
  let dropped = 0
  let told = false

  const say = (line: string): void => {
    if (dropped > 0 && queue.push(`[${dropped} bytes of output dropped: limit is ${caps.perSecond} per second, ${caps.total} in total]`))
      dropped = 0
    if (!queue.push(line)) dropped += line.length
  }

  /** Output beyond the limits is only counted. */
  const drop = (bytes: number): void => {
    dropped += bytes
    if (budget.exhausted && !told) told = queue.push(`[further output dropped: limit of ${caps.total} bytes reached]`)
  }

  const pipe = () => {
    const decoder = new StringDecoder('utf8')
    let rest = ''
    flushes.push(() => {
      if (rest !== '') say(rest)
      rest = ''
    })
    return (chunk: Uint8Array): void => {
      if (!budget.take(chunk.length)) return drop(chunk.length)
      const lines = (rest + decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) say(line.slice(0, longestLine))
      if (rest.length > longestLine) {
        say(rest.slice(0, longestLine))
        rest = ''
      }
    }
  }

  const end = (): void => {
    for (const flush of flushes) flush()
    if (dropped > 0) queue.push(`[${dropped} bytes of output dropped]`)
    queue.end()
  }

  return { lines: { [Symbol.asyncIterator]: () => queue }, pipe, end }
}
