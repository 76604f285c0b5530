// Group commit for the journal: calls that arrive during a sync share the next one. Lines have the order of the calls.
import { type AuditEntry, ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { Batch, type End, type Place, type LocatedEntry } from './batch.ts'
import { type Checkpoint, checkpointIn, type Draft, draft, type Head, type JournalInput } from './chain.ts'
import type { Files } from './files.ts'
import { unwritable } from './guard.ts'

export interface Appended {
  readonly entries: AuditEntry[]
  /** The head after the last of these lines. */
  readonly head: Head
  /** These lines, preceded by lines that the journal added itself and that no earlier call has reported. */
  readonly lines: readonly LocatedEntry[]
}

interface Call {
  readonly drafts: readonly Draft[]
  /** Whether to end with a checkpoint. */
  readonly sign: boolean
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: unknown) => void
}

export interface AppenderOptions {
  readonly files: Files
  readonly place: Place
  readonly checkpoint: Checkpoint | null
  /** Whether the current file has to begin with a checkpoint. */
  readonly begin: boolean
  readonly sign: (head: Head) => JournalInput
  /** Nothing is written, repaired or signed before `release`. */
  readonly held: boolean
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly log: Logger
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
const toHead = ({ link: { seq, hash } }: Place): Head => ({ seq, hash })

/** @param reported number of lines of the batch that earlier calls have reported */
const addCall = ({ drafts, sign }: Call, batch: Batch, reported: number): { answer: Appended; reported: number } => {
  const added = drafts.map((one) => batch.add(one))
  if (sign) batch.sign()
  const last = added.at(-1)
  const end = last?.end ?? reported
  const answer = {
    entries: added.map(({ entry }) => entry),
    head: last?.head ?? toHead(batch.place),
    lines: batch.lines.slice(reported, end),
  }
  return { answer, reported: end }
}

const heldError = (): ServiceError =>
  unwritable(
    'the journal has not been verified against its database, so nothing is written or signed',
    'run svcctl audit verify, then restore journal and database from one backup',
  )

/** The line that records a recovery of the journal itself. */
const recoveryDraft = (kept: string): Draft => draft({ stage: 'recovered', edge: 'gateway', principal: 'gateway', detail: { kept } })

export class Appender {
  readonly #options: AppenderOptions
  #place: Place
  #checkpoint: Checkpoint | null
  #begin: boolean
  #calls: Call[] = []
  /** Lines by the journal itself for the next write. */
  #notes: Draft[] = []
  /** Lines by the journal itself that no call has reported yet. */
  #unreported: readonly LocatedEntry[] = []
  #running = false
  #failing = false
  #closed = false
  #held: boolean

  constructor(options: AppenderOptions) {
    this.#options = options
    this.#place = options.place
    this.#checkpoint = options.checkpoint
    this.#begin = options.begin
    this.#held = options.held
  }

  get head(): Head {
    return toHead(this.#place)
  }

  /** The last checkpoint on disk. */
  get checkpoint(): Checkpoint | null {
    return this.#checkpoint
  }

  release(): void {
    this.#held = false
  }

  async append(inputs: readonly JournalInput[]): Promise<Appended> {
    return this.#enqueue(inputs.map(draft), false)
  }

  /** Signs the head if lines were added since the last checkpoint. */
  async sign(): Promise<void> {
    await this.#enqueue([], true)
  }

  /** Signs the head, unless the journal is held, and refuses further calls. Resolves after the queued calls. */
  async close(): Promise<void> {
    const signed = this.#held ? undefined : this.sign()
    this.#closed = true
    await signed
  }

  #enqueue(drafts: readonly Draft[], sign: boolean): Promise<Appended> {
    if (this.#closed) return Promise.reject(new ServiceError('unavailable', { detail: 'the journal is closed' }))
    if (this.#held) return Promise.reject(heldError())
    return new Promise((resolve, reject) => {
      this.#calls.push({ drafts, sign, resolve, reject })
      if (!this.#running) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#calls.length > 0) {
      // Calls made in the same turn of the event loop share the write.
      await nextTurn()
      const calls = this.#calls
      this.#calls = []
      await this.#flush(calls)
      // A closing journal does not rotate; a full file is rotated after the next open.
      if (this.#options.files.isFull && !this.#closed) await this.#rotate()
    }
    this.#running = false
  }

  async #flush(calls: readonly Call[]): Promise<void> {
    try {
      const answers = await this.#write(calls)
      if (this.#failing) this.#options.log.info('journal is writable again')
      this.#failing = false
      for (const [index, call] of calls.entries()) call.resolve(answers[index] ?? { entries: [], head: this.head, lines: [] })
    } catch (error) {
      if (!this.#failing) this.#options.log.error('could not write the journal', { error })
      this.#failing = true
      for (const call of calls) call.reject(error)
    }
  }

  #batch(end: End): Batch {
    const { sign } = this.#options
    return new Batch({ place: this.#place, end, time: new Date(this.#options.clock()), sign: (head) => draft(sign(head)) })
  }

  async #write(calls: readonly Call[]): Promise<Appended[]> {
    const { files } = this.#options
    const kept = await files.makeSound()
    if (kept !== undefined) this.#notes.push(recoveryDraft(kept))
    const batch = this.#batch(files.end)
    if (this.#begin) batch.begin()
    for (const note of this.#notes) batch.add(note)
    let reported = 0
    const answers = calls.map((call) => {
      const result = addCall(call, batch, reported)
      reported = result.reported
      return result.answer
    })
    const bytes = batch.bytes()
    if (bytes !== undefined) await files.append(bytes, toHead(batch.place))
    this.#afterWrite(batch)
    return this.#reportOwnLines(answers, batch.lines.slice(reported))
  }

  /** Adds lines by the journal itself to the next call that has lines. */
  #reportOwnLines(answers: Appended[], rest: readonly LocatedEntry[]): Appended[] {
    const first = answers.findIndex(({ entries }) => entries.length > 0)
    const unreported = this.#unreported
    this.#unreported = first === -1 ? [...unreported, ...rest] : rest
    return first === -1 ? answers : answers.map((one, index) => (index === first ? { ...one, lines: [...unreported, ...one.lines] } : one))
  }

  #afterWrite(batch: Batch): void {
    this.#place = batch.place
    this.#notes = []
    this.#begin = false
    for (const entry of batch.checkpoints) {
      this.#checkpoint = checkpointIn(entry) ?? null
      this.#options.log.debug('checkpoint', entry.detail)
    }
  }

  /** Closes the file with a checkpoint and begins the next one with another. If that fails, the current file stays in use. */
  async #rotate(): Promise<void> {
    const { files, log } = this.#options
    try {
      const last = this.#batch(files.end)
      last.sign()
      const bytes = last.bytes()
      if (bytes !== undefined) await files.append(bytes, toHead(last.place))
      this.#afterWrite(last)
      this.#unreported = [...this.#unreported, ...last.lines]
      const first = this.#batch(files.nextEnd)
      first.begin()
      await files.rotate(first.bytes() ?? Buffer.alloc(0), last.place.link, toHead(first.place))
      this.#afterWrite(first)
      this.#unreported = [...this.#unreported, ...first.lines]
    } catch (error) {
      log.warn('could not rotate the journal, the current file stays in use', { error })
    }
  }
}
