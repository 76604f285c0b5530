// The files of a journal as one: the present file, those closed before it, and the disk kept in reserve.
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
  /** Bytes beyond which the present file is closed. */
  readonly most: number
}

/** A file that could not be closed is tried again when it has grown by so many bytes. */
const retryAfter = 1024 * 1024

export class Files {
  readonly #path: string
  readonly #file: JournalFile
  readonly #segments: Segments
  readonly #most: number
  #tryAt: number

  constructor({ path, recovered: { opened, segments }, reserve, most }: FilesOptions) {
    this.#path = path
    this.#segments = segments
    this.#most = most
    this.#tryAt = most
    this.#file = new JournalFile(opened, { makeRoom: async () => reserve?.giveUp() ?? false })
  }

  get end(): End {
    return { file: this.#segments.nextNumber, size: this.#file.size }
  }

  /** Where the first line of the next file will stand. */
  get nextEnd(): End {
    return { file: this.#segments.nextNumber + 1, size: 0 }
  }

  /** It is time for a new file. */
  get isFull(): boolean {
    return this.#file.size > this.#tryAt
  }

  /** As they stand: what is added later is not in them. */
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
      // The file may be closed while it is read.
      read: (position, length) => (this.#segments.find(number)?.read ?? this.#file.read)(position, length),
      end: this.#file.size,
    }
    return [...closed, present]
  }

  /** Throws `audit-unwritable` unless all is as it was left. The name of the file that keeps what was cut off, if any was. */
  async makeSound(): Promise<string | undefined> {
    await this.#segments.makeSound()
    return this.#file.makeSound()
  }

  /** On disk when it resolves; if it rejects with `audit-unwritable`, nothing of it stands. */
  append(bytes: Buffer, head: Head): Promise<void> {
    return this.#file.append(bytes, head)
  }

  /**
   * Goes on in a new file that begins with `bytes`; if it rejects, the present one goes on.
   *
   * @param last of the present file
   * @param head of the new one
   */
  async rotate(bytes: Buffer, last: Link, head: Head): Promise<void> {
    this.#tryAt = this.#file.size + retryAfter
    const number = this.#segments.nextNumber
    const path = rotatedPath(this.#path, number)
    const { handle, sound } = await this.#file.rotate(path, bytes, head)
    this.#segments.add(new Segment({ path, number, identity: sound.identity, size: sound.size, before: this.#lastClosed, last }, handle))
    this.#tryAt = this.#most
  }

  async close(): Promise<void> {
    await this.#segments.close()
    await this.#file.close()
  }

  get #lastClosed(): Head {
    return this.#segments.all.at(-1)?.last ?? genesis
  }
}
