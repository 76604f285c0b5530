// One record per list and call, in the log and in `calls.jsonl`, before the answer leaves. Never an argument, a result,
// a variable or a word of a server's error. What is begun stands in a slot, so that also the death of this process leaves a record.
import { randomBytes } from 'node:crypto'
import { CallRecord } from '@gatehouse/contracts'
import { OwedRecords, type Records as RecordsFile, type Slot } from '@gatehouse/journal'
import { type Logger, type Metrics, wallMs, wallTime } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { CallSession } from './session.ts'

export type Records = Omit<RecordsFile, 'close'>

export interface RecorderOptions {
  readonly records: Records
  /** Writes at `info` whatever the level of the process. */
  readonly log: Logger
  readonly metrics: Metrics
  /** Whether this is the name of a server in the catalog: only those become labels. */
  readonly isKnown: (server: string) => boolean
}

/** What is known of a list or call while it runs. */
const Noted = v.object({
  ...v.pick(CallRecord, ['id', 'session', 'agentGroupID', 'op', 'server', 'tool']).entries,
  /** When it began. */
  time: v.string(),
})
type Noted = v.InferOutput<typeof Noted>

export type Target = Pick<CallRecord, 'server' | 'tool'>

export interface RecordInput extends Omit<CallRecord, 'id' | 'time' | 'session' | 'agentGroupID' | 'op' | 'bytes'> {
  readonly received: number
  readonly sent: number
}

/** A list or call that runs: it becomes one record. */
export interface Pending {
  /** Throws when it cannot be noted: nothing may be done then. */
  aim(target: Target): void
  /** Rejects when the record is not in the file. */
  write(record: RecordInput): Promise<void>
}

/** Label of what is no server of the catalog. */
const unknownServer = 'none'

/** The random part keeps the ids of two processes apart, also when the clock was set back between them. */
const createIds = (): (() => string) => {
  const boot = `${wallMs().toString(36)}${randomBytes(3).toString('hex')}`
  let count = 0
  return () => `${boot}-${(count++).toString(36)}`
}

export class Recorder {
  readonly #options: RecorderOptions
  readonly #nextId = createIds()
  readonly #owed: OwedRecords
  #isWritable = true

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#owed = new OwedRecords(options.records)
  }

  /** False from a record that could not be written to the next one that could: nothing is begun meanwhile. */
  get isWritable(): boolean {
    return this.#isWritable
  }

  begin({ id: session, agentGroupID }: CallSession, op: CallRecord['op'], target: Target = { server: '' }): Pending {
    const noted: Noted = { id: this.#nextId(), time: wallTime(), session, agentGroupID, op, ...target }
    const slot = this.#fill(noted)
    return {
      aim: (other) => {
        try {
          slot?.change({ ...noted, ...other })
        } catch (error) {
          throw this.#unwritable(error)
        }
      },
      write: (record) => this.#write(noted, slot, record),
    }
  }

  /** What an earlier process left unfinished becomes a record: whether it took effect is unknown. */
  async recover(): Promise<void> {
    for (const slot of this.#options.records.unfinished) {
      const noted = v.safeParse(Noted, slot.noted)
      if (noted.success) {
        const { server, tool } = noted.output
        const known = { server, ...(tool !== undefined && { tool }) }
        // What cannot be written now is owed, and stands in its slot for the next start.
        await this.#write(noted.output, slot, { ...known, status: 'unknown', received: 0, sent: 0, duration: 0 }).catch(() => undefined)
      } else slot.clear()
    }
  }

  #fill(noted: Noted): Slot | undefined {
    try {
      return this.#options.records.begin(noted)
    } catch (error) {
      this.#unwritable(error)
      return undefined
    }
  }

  #unwritable(error: unknown): unknown {
    if (this.#isWritable) this.#options.log.error('a record of a list or call cannot be written', { error })
    this.#isWritable = false
    return error
  }

  async #write({ id, session, agentGroupID, op }: Noted, slot: Slot | undefined, { received, sent, ...rest }: RecordInput): Promise<void> {
    const duration = Math.round(rest.duration * 1000) / 1000
    const time = wallTime()
    const record: CallRecord = { id, time, session, agentGroupID, op, ...rest, bytes: received + sent, duration }
    this.#tell(record, received, sent)
    try {
      await this.#owed.write({ record, slot })
      this.#isWritable = true
    } catch (error) {
      throw this.#unwritable(error)
    }
  }

  #tell({ time: _, ...record }: CallRecord, received: number, sent: number): void {
    this.#options.log.info(record.op === 'call' ? 'mcp.call' : 'mcp.list', record)
    this.#count(record, received, sent)
  }

  #count({ op, status, duration, ...record }: Omit<CallRecord, 'time'>, received: number, sent: number): void {
    const { metrics } = this.#options
    const server = this.#options.isKnown(record.server) ? record.server : unknownServer
    metrics.counter('broker_requests_total').inc({ server, op, status })
    metrics.histogram('broker_request_duration_seconds').observe({ server, op }, duration / 1000)
    metrics.counter('broker_bytes_total').inc({ server, direction: 'in' }, received)
    metrics.counter('broker_bytes_total').inc({ server, direction: 'out' }, sent)
  }
}
