// One closed file of a journal: opened to be read when somebody reads it, looked at to see whether it is still there.
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
  /** What its first line follows. */
  readonly before: Head
  readonly last: Link
}

const putBack = 'put the file back, or a copy of it to the last byte; appending goes on by itself'

const firstLine = async (read: Read, size: number): Promise<Line | undefined> => {
  for await (const line of linesForward(read, 0, size)) return line
  return undefined
}

const lastLine = async (read: Read, size: number): Promise<Line | undefined> => {
  for await (const line of linesBackward(read, size - 1)) return line
  return undefined
}

/** What a file says of itself by its first line and its last. Throws `audit-unwritable` for one that is none of a journal. */
export const surveyFile = async (path: string, number: number): Promise<Closed> => {
  await using handle = await open(path, journalFlags).catch((error: unknown) => {
    throw unwritable(`${path}: expected a closed file of the journal, it cannot be opened`, putBack, error)
  })
  const found = await handle.stat({ bigint: true })
  checkShape(path, found)
  const size = Number(found.size)
  const read = readFrom(handle)
  const [first, last] = size === 0 ? [] : [await firstLine(read, size), await lastLine(read, size)]
  const [from, to] = [first, last].map((line) => (line === undefined ? undefined : parseEntry(line.bytes)))
  if (last === undefined || from === undefined || to === undefined)
    throw unwritable(`${path}: expected a closed file of the journal, got another content`, putBack)
  return {
    path,
    number,
    identity: { dev: found.dev, ino: found.ino },
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

  /** @param handle the file, if it is open */
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

  /** Throws `audit-unwritable` unless the file is what it was closed as, as far as its name shows. */
  check(): void {
    checkFile(this.path, { identity: this.#identity, size: this.size })
  }

  /** After a fault: accepts the file, or a copy of it to the last byte. Throws `audit-unwritable` while the fault lasts. */
  async accept(): Promise<void> {
    const { size, before, identity } = await surveyFile(this.path, this.number)
    const same = size === this.size && before.seq === this.before.seq && before.hash === this.before.hash
    if (!same || !(await this.#isWhole()))
      throw unwritable(`${this.path}: expected the file as it was closed, got another content`, putBack)
    // What is open may be another file, or may have been.
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
