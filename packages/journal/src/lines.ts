// Reads the lines of a file as raw bytes, forwards and backwards, in blocks. A line may be longer than a block.

import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Append-only, and symbolic links are not followed. */
export const journalFlags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW

export type Read = (position: number, length: number) => Promise<Buffer>

export interface Line {
  /** Offset of its first byte. */
  readonly start: number
  /** Without the newline. */
  readonly bytes: Buffer
}

const newline = 0x0a
const block = 64 * 1024

/** Reads exactly the requested bytes, or rejects. */
export const readFrom =
  (handle: FileHandle): Read =>
  async (position, length) => {
    const bytes = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length;) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled)
      if (bytesRead === 0) throw new Error(`the file ended after ${filled} of ${length} bytes at ${position}`)
      filled += bytesRead
    }
    return bytes
  }

/** The bytes before `end`, in blocks. */
export async function* blocks(read: Read, end: number): AsyncGenerator<Buffer> {
  const readSize = 16 * block
  for (let position = 0; position < end; position += readSize) yield await read(position, Math.min(readSize, end - position))
}

/** The lines from `start`, which must be the start of a line, up to `end`. A last line without a newline is omitted. */
export async function* linesForward(read: Read, start: number, end: number): AsyncGenerator<Line> {
  let pending: Buffer[] = []
  let lineStart = start
  for (let position = start; position < end; position += block) {
    const bytes = await read(position, Math.min(block, end - position))
    let from = 0
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
      const rest = bytes.subarray(from, at)
      yield { start: lineStart, bytes: pending.length === 0 ? rest : Buffer.concat([...pending, rest]) }
      pending = []
      from = at + 1
      lineStart = position + from
    }
    if (from < bytes.length) pending.push(bytes.subarray(from))
  }
}

/** The lines before `end`, last line first. The bytes after the last newline come first, even if they are empty. */
export async function* linesBackward(read: Read, end: number): AsyncGenerator<Line> {
  let pending: Buffer[] = []
  for (let stop = end; stop > 0;) {
    const position = Math.max(0, stop - block)
    const bytes = await read(position, stop - position)
    let to = bytes.length
    for (let at = bytes.lastIndexOf(newline); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(newline, at - 1)) {
      const rest = bytes.subarray(at + 1, to)
      yield { start: position + at + 1, bytes: pending.length === 0 ? rest : Buffer.concat([rest, ...pending]) }
      pending = []
      to = at
    }
    if (to > 0) pending.unshift(bytes.subarray(0, to))
    stop = position
  }
  yield { start: 0, bytes: Buffer.concat(pending) }
}

/** Start of the first line at or after `position` and before `end`. */
export const lineStartAfter = async (read: Read, position: number, end: number): Promise<number | undefined> => {
  for (let at = position; at < end; at += block) {
    const found = (await read(at, Math.min(block, end - at))).indexOf(newline)
    if (found !== -1) return at + found + 1 < end ? at + found + 1 : undefined
  }
  return undefined
}
