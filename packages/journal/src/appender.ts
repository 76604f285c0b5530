// Group commit: callers that come while a sync runs share the next one. The order of calls is the order of lines.
import { type AuditEntry, ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { Batch, type Place } from './batch.ts'
import { type Draft, draft, type Head, type JournalInput } from './chain.ts'
import type { JournalFile } from './journal-file.ts'

export interface Appended {
  readonly entries: AuditEntry[]
  /** After the last of these lines. */
  readonly head: Head
}

interface Call {
  readonly drafts: readonly Draft[]
  /** Ends with a checkpoint. */
  readonly sign: boolean
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: unknown) => void
}

export interface AppenderOptions {
  readonly file: JournalFile
  readonly place: Place
  readonly sign: (head: Head) => JournalInput
  readonly log: Logger
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
const headOf = ({ link: { seq, hash } }: Place): Head => ({ seq, hash })

const place = ({ drafts, sign }: Call, batch: Batch): Appended => {
  const entries: AuditEntry[] = []
  let head = headOf(batch.place)
  for (const one of drafts) {
    const { entry, link } = batch.add(one)
    entries.push(entry)
    head = { seq: link.seq, hash: link.hash }
  }
  if (sign) batch.sign()
  return { entries, head }
}

export class Appender {
  readonly #options: AppenderOptions
  #place: Place
  #calls: Call[] = []
  /** Lines of the journal's own that wait for the next write. */
  #notes: Draft[] = []
  #running = false
  #failing = false
  #closed = false

  constructor(options: AppenderOptions) {
    this.#options = options
    this.#place = options.place
  }

  get head(): Head {
    return headOf(this.#place)
  }

  async append(inputs: readonly JournalInput[]): Promise<Appended> {
    return this.#enter(inputs.map(draft), false)
  }

  /** Signs the head, if lines were added since the last time. */
  async checkpoint(): Promise<void> {
    await this.#enter([], true)
  }

  /** Signs the head and takes nothing from now on; resolves after the calls that wait. */
  async close(): Promise<void> {
    const signed = this.checkpoint()
    this.#closed = true
    await signed
  }

  #enter(drafts: readonly Draft[], sign: boolean): Promise<Appended> {
    if (this.#closed) return Promise.reject(new ServiceError('unavailable', { detail: 'the journal is closed' }))
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
    }
    this.#running = false
  }

  async #flush(calls: readonly Call[]): Promise<void> {
    try {
      const answers = await this.#write(calls)
      if (this.#failing) this.#options.log.info('the journal can be written again')
      this.#failing = false
      for (const [index, call] of calls.entries()) call.resolve(answers[index] ?? { entries: [], head: this.head })
    } catch (error) {
      if (!this.#failing) this.#options.log.error('the journal cannot be written', { error })
      this.#failing = true
      for (const call of calls) call.reject(error)
    }
  }

  async #write(calls: readonly Call[]): Promise<Appended[]> {
    const { file, sign, log } = this.#options
    const kept = await file.makeSound()
    if (kept !== undefined) this.#notes.push(draft({ stage: 'recovered', edge: 'gateway', principal: 'gateway', detail: { kept } }))
    const batch = new Batch(this.#place, new Date(), (head) => draft(sign(head)))
    for (const note of this.#notes) batch.add(note)
    const answers = calls.map((call) => place(call, batch))
    const bytes = batch.bytes()
    if (bytes !== undefined) await file.append(bytes, headOf(batch.place))
    this.#place = batch.place
    this.#notes = []
    for (const { detail } of batch.checkpoints) log.info('checkpoint', detail)
    return answers
  }
}
