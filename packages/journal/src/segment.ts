// One closed file of a journal. It is opened on the first read, and can be checked for changes.
import { type FileHandle, open } from 'node:fs/promises'
import { sha256 } from '@gatehouse/kernel'
import type { Head, Link } from './chain.ts'
import { parseEntry } from './entry.ts'
import { checkFile, checkShape, type Identity, unwritable } from './guard.ts'
import { inspect } from './inspect.ts'
import { Inspector } from './inspector.ts'
import { blocks, journalFlags, type Line, linesBackward, linesForward, type Read, readFrom } from './lines.ts'

export interface Closed {
  readonly path: string
  readonly number: number
  readonly identity: Identity
  readonly size: number
  /** The head before its first line. */
  readonly before: Head
  readonly last: Link
}

const restoreHint = 'put the file back, or an exact copy of it; appends resume automatically'

const firstLine = async (read: Read, size: number): Promise<Line | undefined> => {
  for await (const line of linesForward(read, 0, size)) return line
  return undefined
}

const lastLine = async (read: Read, size: number): Promise<Line | undefined> => {
  for await (const line of linesBackward(read, size - 1)) return line
  return undefined
}

/** Describes a closed file by its first and last line. Rejects with `audit-unwritable` for a file that is not part of a journal. */
export const describeSegment = async (path: string, number: number): Promise<Closed> => {
  await using handle = await open(path, journalFlags).catch((error: unknown) => {
    throw unwritable(`${path}: cannot open the closed journal file`, restoreHint, error)
  })
  const stats = await handle.stat({ bigint: true })
  checkShape(path, stats)
  const size = Number(stats.size)
  const read = readFrom(handle)
  const [first, last] = size === 0 ? [] : [await firstLine(read, size), await lastLine(read, size)]
  const [from, to] = [first, last].map((line) => (line === undefined ? undefined : parseEntry(line.bytes)))
  if (last === undefined || from === undefined || to === undefined) throw unwritable(`${path}: not a closed journal file`, restoreHint)
  return {
    path,
    number,
    identity: { dev: stats.dev, ino: stats.ino },
    size,
    before: { seq: from.seq - 1, hash: from.hash },
    last: { seq: to.seq, hash: sha256(last.bytes), prev: to.hash },
  }
}

export class Segment {
  readonly path: string
  readonly number: number
  readonly before: Head
  readonly last: Link
  readonly size: number
  #identity: Identity
  #handle: Promise<FileHandle> | undefined

  /** @param handle the open file, if there is one */
  constructor({ path, number, identity, size, before, last }: Closed, handle?: FileHandle) {
    this.path = path
    this.#identity = identity
    this.number = number
    this.size = size
    this.before = before
    this.last = last
    this.#handle = handle === undefined ? undefined : Promise.resolve(handle)
  }

  readonly read: Read = async (position, length) => readFrom(await this.#open())(position, length)

  /** Throws `audit-unwritable` if identity, size or mode of the file have changed. Does not read the content. */
  check(): void {
    checkFile(this.path, { identity: this.#identity, size: this.size })
  }

  /** After a fault: accepts the original file or an exact copy. Rejects with `audit-unwritable` while the fault persists. */
  async verifyAndAccept(): Promise<void> {
    const { size, before, identity } = await describeSegment(this.path, this.number)
    const same = size === this.size && before.seq === this.before.seq && before.hash === this.before.hash
    if (!same || !(await this.#isWhole())) throw unwritable(`${this.path}: the content has changed since the file was closed`, restoreHint)
    // The open handle may belong to another file.
    await this.close()
    this.#handle = undefined
    this.#identity = identity
  }

  async close(): Promise<void> {
    await (await this.#handle)?.close()
  }

  async #isWhole(): Promise<boolean> {
    await using handle = await open(this.path, journalFlags)
    const inspector = new Inspector({ start: undefined, known: [this.last] })
    return ((await inspect(blocks(readFrom(handle), this.size), inspector)) ?? inspector.end()) === undefined
  }

  #open(): Promise<FileHandle> {
    const opening = (this.#handle ??= open(this.path, journalFlags))
    opening.catch(() => (this.#handle = undefined))
    return opening
  }
}
