// Group commit: callers that come while a sync runs share the next one. The order of calls is the order of lines.
import { type AuditEntry, ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { Batch, type End, type Place, type Placed } from './batch.ts'
import { type Checkpoint, checkpointIn, type Draft, draft, type Head, type JournalInput } from './chain.ts'
import type { Files } from './files.ts'
import { unwritable } from './guard.ts'

export interface Appended {
  readonly entries: AuditEntry[]
  /** After the last of these lines. */
  readonly head: Head
  /** These lines, and before them those of the journal's own that no call was told of yet. */
  readonly lines: readonly Placed[]
}

interface Call {
  readonly drafts: readonly Draft[]
  /** Ends with a checkpoint. */
  readonly sign: boolean
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: unknown) => void
}

export interface AppenderOptions {
  readonly files: Files
  readonly place: Place
  readonly checkpoint: Checkpoint | null
  /** The present file begins with a checkpoint. */
  readonly begin: boolean
  readonly sign: (head: Head) => JournalInput
  /** Nothing is written, repaired or signed before `release`. */
  readonly held: boolean
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly log: Logger
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
const headOf = ({ link: { seq, hash } }: Place): Head => ({ seq, hash })

/** @param told how many lines of the batch earlier calls were told of */
const place = ({ drafts, sign }: Call, batch: Batch, told: number): { answer: Appended; told: number } => {
  const added = drafts.map((one) => batch.add(one))
  if (sign) batch.sign()
  const last = added.at(-1)
  const end = last?.end ?? told
  const answer = { entries: added.map(({ entry }) => entry), head: last?.head ?? headOf(batch.place), lines: batch.lines.slice(told, end) }
  return { answer, told: end }
}

const isHeld = (): ServiceError =>
  unwritable(
    'the journal was not shown to belong to its database, so nothing is written or signed',
    'run svcctl audit verify, then restore journal and database from one backup',
  )

/** What the journal says of itself. */
const recovered = (kept: string): Draft => draft({ stage: 'recovered', edge: 'gateway', principal: 'gateway', detail: { kept } })

export class Appender {
  readonly #options: AppenderOptions
  #place: Place
  #checkpoint: Checkpoint | null
  #begin: boolean
  #calls: Call[] = []
  /** Lines of the journal's own that wait for the next write. */
  #notes: Draft[] = []
  /** Lines of the journal's own that no call was told of yet. */
  #untold: readonly Placed[] = []
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
    return headOf(this.#place)
  }

  /** The last one on disk. */
  get checkpoint(): Checkpoint | null {
    return this.#checkpoint
  }

  release(): void {
    this.#held = false
  }

  async append(inputs: readonly JournalInput[]): Promise<Appended> {
    return this.#enter(inputs.map(draft), false)
  }

  /** Signs the head, if lines were added since the last time. */
  async sign(): Promise<void> {
    await this.#enter([], true)
  }

  /** Signs the head, unless the journal is held, and takes nothing from now on; resolves after the calls that wait. */
  async close(): Promise<void> {
    const signed = this.#held ? undefined : this.sign()
    this.#closed = true
    await signed
  }

  #enter(drafts: readonly Draft[], sign: boolean): Promise<Appended> {
    if (this.#closed) return Promise.reject(new ServiceError('unavailable', { detail: 'the journal is closed' }))
    if (this.#held) return Promise.reject(isHeld())
    return new Promise((resolve, reject) => {
      this.#calls.push({ drafts, sign, resolve, reject })
      if (!this.#running) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#calls.length > 0) {
      // Whoever calls in this turn of the event loop comes along.
      await nextTurn()
      const calls = this.#calls
      this.#calls = []
      await this.#flush(calls)
      // Whoever closes finds the files at rest; a full one is closed when the journal is opened again.
      if (this.#options.files.isFull && !this.#closed) await this.#rotate()
    }
    this.#running = false
  }

  async #flush(calls: readonly Call[]): Promise<void> {
    try {
      const answers = await this.#write(calls)
      if (this.#failing) this.#options.log.info('the journal can be written again')
      this.#failing = false
      for (const [index, call] of calls.entries()) call.resolve(answers[index] ?? { entries: [], head: this.head, lines: [] })
    } catch (error) {
      if (!this.#failing) this.#options.log.error('the journal cannot be written', { error })
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
    if (kept !== undefined) this.#notes.push(recovered(kept))
    const batch = this.#batch(files.end)
    if (this.#begin) batch.begin()
    for (const note of this.#notes) batch.add(note)
    let told = 0
    const answers = calls.map((call) => {
      const placed = place(call, batch, told)
      told = placed.told
      return placed.answer
    })
    const bytes = batch.bytes()
    if (bytes !== undefined) await files.append(bytes, headOf(batch.place))
    this.#wrote(batch)
    return this.#tellUntold(answers, batch.lines.slice(told))
  }

  /** Lines of the journal's own go to the next call that has lines. */
  #tellUntold(answers: Appended[], rest: readonly Placed[]): Appended[] {
    const first = answers.findIndex(({ entries }) => entries.length > 0)
    const untold = this.#untold
    this.#untold = first === -1 ? [...untold, ...rest] : rest
    return first === -1 ? answers : answers.map((one, index) => (index === first ? { ...one, lines: [...untold, ...one.lines] } : one))
  }

  #wrote(batch: Batch): void {
    this.#place = batch.place
    this.#notes = []
    this.#begin = false
    for (const entry of batch.checkpoints) {
      this.#checkpoint = checkpointIn(entry) ?? null
      this.#options.log.debug('checkpoint', entry.detail)
    }
  }

  /** Closes the file with a checkpoint and begins the next one with another; if it fails, the present one goes on. */
  async #rotate(): Promise<void> {
    const { files, log } = this.#options
    try {
      const last = this.#batch(files.end)
      last.sign()
      const bytes = last.bytes()
      if (bytes !== undefined) await files.append(bytes, headOf(last.place))
      this.#wrote(last)
      this.#untold = [...this.#untold, ...last.lines]
      const first = this.#batch(files.nextEnd)
      first.begin()
      await files.rotate(first.bytes() ?? Buffer.alloc(0), last.place.link, headOf(first.place))
      this.#wrote(first)
      this.#untold = [...this.#untold, ...first.lines]
    } catch (error) {
      log.warn('the journal goes on in its present file, since no new one could be begun', { error })
    }
  }
}
