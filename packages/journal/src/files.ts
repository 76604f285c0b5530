// The files of a journal as one sequence: closed segments, the current file, and the disk reserve.
import type { End } from './batch.ts'
import { genesis, type Head, type Link } from './chain.ts'
import { JournalFile } from './journal-file.ts'
import type { Part } from './read.ts'
import type { Recovered } from './recover.ts'
import type { Reserve } from './reserve.ts'
import { rotatedPath } from './rotated.ts'
import { Segment } from './segment.ts'
import type { Segments } from './segments.ts'

export interface FilesOptions {
  readonly path: string
  readonly recovered: Recovered
  readonly reserve: Reserve | undefined
  /** Size in bytes beyond which the current file is rotated. */
  readonly maxFileSize: number
}

/** Bytes by which a file must grow before a failed rotation is retried. */
const retryAfter = 1024 * 1024

export class Files {
  readonly #path: string
  readonly #file: JournalFile
  readonly #segments: Segments
  readonly #maxFileSize: number
  #rotateAt: number

  constructor({ path, recovered: { opened, segments }, reserve, maxFileSize }: FilesOptions) {
    this.#path = path
    this.#segments = segments
    this.#maxFileSize = maxFileSize
    this.#rotateAt = maxFileSize
    this.#file = new JournalFile(opened, { makeRoom: async () => reserve?.release() ?? false })
  }

  get end(): End {
    return { file: this.#segments.nextNumber, size: this.#file.size }
  }

  /** The start of the next file. */
  get nextEnd(): End {
    return { file: this.#segments.nextNumber + 1, size: 0 }
  }

  /** Whether the current file has to be rotated. */
  get isFull(): boolean {
    return this.#file.size > this.#rotateAt
  }

  /** A snapshot of all files; lines added later are not included. */
  parts(): Part[] {
    const number = this.#segments.nextNumber
    const closed = this.#segments.all.map((segment) => ({
      number: segment.number,
      before: segment.before.seq,
      read: segment.read,
      end: segment.size,
    }))
    const present: Part = {
      number,
      before: this.#lastClosed.seq,
      // The file may be rotated while it is read.
      read: (position, length) => (this.#segments.find(number)?.read ?? this.#file.read)(position, length),
      end: this.#file.size,
    }
    return [...closed, present]
  }

  /**
   * Rejects with `audit-unwritable` unless all files are unchanged. Resolves to the name of the file to which a torn end was moved, if
   * there was one.
   */
  async makeSound(): Promise<string | undefined> {
    await this.#segments.makeSound()
    return this.#file.makeSound()
  }

  /** The bytes are on disk when it resolves. If it rejects with `audit-unwritable`, none of them remain. */
  append(bytes: Buffer, head: Head): Promise<void> {
    return this.#file.append(bytes, head)
  }

  /**
   * Continues in a new file that begins with `bytes`. If it rejects, the current file stays in use.
   *
   * @param last link of the current file
   * @param head of the new file
   */
  async rotate(bytes: Buffer, last: Link, head: Head): Promise<void> {
    this.#rotateAt = this.#file.size + retryAfter
    const number = this.#segments.nextNumber
    const path = rotatedPath(this.#path, number)
    const { handle, sound } = await this.#file.rotate(path, bytes, head)
    this.#segments.add(new Segment({ path, number, identity: sound.identity, size: sound.size, before: this.#lastClosed, last }, handle))
    this.#rotateAt = this.#maxFileSize
  }

  async close(): Promise<void> {
    await this.#segments.close()
    await this.#file.close()
  }

  get #lastClosed(): Head {
    return this.#segments.all.at(-1)?.last ?? genesis
  }
}
