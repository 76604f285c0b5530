// Group commit: callers that come while a sync runs share the next one. The order of calls is the order of lines.
import type { KeyObject } from 'node:crypto'
import { type AuditEntry, ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { chain, type Chained, type Draft, draft, type Head, type JournalInput, type Link } from './chain.ts'
import { checkpointEvery, checkpointOf } from './checkpoint.ts'
import type { JournalFile } from './journal-file.ts'

export interface Appended {
  readonly entries: AuditEntry[]
  /** After the last of these lines. */
  readonly head: Head
}

interface Call {
  readonly drafts: readonly Draft[]
  resolve(appended: Appended): void
  reject(error: unknown): void
}

export interface AppenderOptions {
  readonly file: JournalFile
  readonly link: Link
  readonly unsigned: number
  readonly key: KeyObject
  readonly epoch: number
  readonly log: Logger
}

/** Where the chain stands; given up if the write fails. */
interface Batch {
  link: Link
  unsigned: number
  readonly lines: string[]
  readonly checkpoints: JournalInput[]
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

export class Appender {
  readonly #options: AppenderOptions
  #link: Link
  #unsigned: number
  #calls: Call[] = []
  #notes: Draft[] = []
  #running: Promise<void> | undefined
  #closed = false

  constructor(options: AppenderOptions) {
    this.#options = options
    this.#link = options.link
    this.#unsigned = options.unsigned
  }

  get head(): Head {
    return { seq: this.#link.seq, hash: this.#link.hash }
  }

  append(inputs: readonly JournalInput[]): Promise<Appended> {
    return this.#enter(inputs.map(draft))
  }

  /** Signs the head, if lines were added since the last time. */
  async checkpoint(): Promise<void> {
    await this.#running
    if (this.#unsigned > 0) await this.append([this.#sign(this.#link)])
  }

  /** Nothing is taken from now on; resolves after the calls that wait. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running
  }
}
