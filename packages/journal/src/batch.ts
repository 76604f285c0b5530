// Builds the lines of one write: chained to the head, with checkpoints where they are due.
import type { AuditEntry } from '@gatehouse/contracts'
import { chain, checkpointEvery, type Draft, type Head, type Link } from './chain.ts'

/** The state of a chain after its last line. */
export interface Place {
  readonly link: Link
  /** Time of the last line; times never decrease. */
  readonly time: string
  /** Lines since the last checkpoint. */
  readonly unsigned: number
}

/** The location of a line on disk. */
export interface Position {
  /** The number that its file has, or will have, when it is closed. */
  readonly file: number
  readonly start: number
  /** Bytes, without the newline. */
  readonly length: number
}

export interface LocatedEntry extends Position {
  readonly entry: AuditEntry
}

/** The end of the file to which the lines are appended. */
export interface End {
  readonly file: number
  readonly size: number
}

export interface Added {
  readonly entry: AuditEntry
  readonly head: Head
  /** Number of lines in the batch up to this one. */
  readonly end: number
}

export interface BatchOptions {
  readonly place: Place
  readonly end: End
  readonly time: Date
  readonly sign: (head: Head) => Draft
}

export class Batch {
  readonly #options: BatchOptions
  readonly #time: string
  readonly #bytes: Buffer[] = []
  readonly lines: LocatedEntry[] = []
  readonly checkpoints: AuditEntry[] = []
  #place: Place
  #size: number

  constructor(options: BatchOptions) {
    const time = options.time.toISOString()
    this.#options = options
    this.#place = options.place
    this.#size = options.end.size
    this.#time = time > options.place.time ? time : options.place.time
  }

  get place(): Place {
    return this.#place
  }

  add(draft: Draft): Added {
    this.#signIfDue()
    const entry = this.#push(draft, this.#place.unsigned + 1)
    const { seq, hash } = this.#place.link
    const added = { entry, head: { seq, hash }, end: this.lines.length }
    this.#signIfDue()
    return added
  }

  /** Adds a checkpoint if lines are unsigned. */
  sign(): void {
    if (this.#place.unsigned > 0) this.begin()
  }

  /** Adds a checkpoint unconditionally, as the first line of a file. */
  begin(): void {
    this.checkpoints.push(this.#push(this.#options.sign(this.#place.link), 0))
  }

  /** The bytes to write; undefined without lines. */
  bytes(): Buffer | undefined {
    return this.#bytes.length === 0 ? undefined : Buffer.concat(this.#bytes)
  }

  #signIfDue(): void {
    if (this.#place.unsigned >= checkpointEvery) this.sign()
  }

  #push(draft: Draft, unsigned: number): AuditEntry {
    const { bytes, entry, link } = chain(this.#place.link, draft, this.#time)
    this.#bytes.push(bytes)
    this.lines.push({ entry, file: this.#options.end.file, start: this.#size, length: bytes.length - 1 })
    this.#size += bytes.length
    this.#place = { link, time: this.#time, unsigned }
    return entry
  }
}
