// Writes one record for each list and call, to the log and to `calls.jsonl`, before the answer is sent. A record never holds an argument,
// a result, a variable or a word of a server's error. A running call is noted in a slot, so that a crash of this process leaves a record too.
import { randomBytes } from 'node:crypto'
import { type AgentGroupID, CallRecord, type SessionID } from '@gatehouse/contracts'
import { CallLog, type Records as RecordsFile, type Slot } from '@gatehouse/journal'
import { type Logger, type Metrics, wallMs, wallTime } from '@gatehouse/kernel'
import * as v from 'valibot'

export type Records = Omit<RecordsFile, 'close'>

export interface RecorderOptions {
  readonly records: Records
  /** Writes at `info` whatever the level of the process. */
  readonly log: Logger
  readonly metrics: Metrics
  /** Whether this is the name of a server in the catalog: only those become labels. */
  readonly isKnown: (server: string) => boolean
}

/** The note of a running list or call. */
const CallNote = v.object({
  ...v.pick(CallRecord, ['id', 'session', 'agentGroupID', 'op', 'server', 'tool']).entries,
  /** When it began. */
  time: v.string(),
})
type CallNote = v.InferOutput<typeof CallNote>

export type Target = Pick<CallRecord, 'server' | 'tool'>

export interface RecordInput extends Omit<CallRecord, 'id' | 'time' | 'session' | 'agentGroupID' | 'op' | 'bytes'> {
  readonly received: number
  readonly sent: number
}

/** The session that a record is about. */
interface RecordOwner {
  readonly id: SessionID
  readonly agentGroupID: AgentGroupID
}

/** A list or call that runs: it becomes one record. */
export interface Pending {
  /** Throws when the target cannot be recorded: the call must not be made then. */
  setTarget(target: Target): void
  /** Rejects when the record is not in the file. */
  write(record: RecordInput): Promise<void>
}

/** Label for names that are not in the catalog. */
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
  readonly #calls: CallLog

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#calls = new CallLog({
      records: options.records,
      onUnwritable: (error, isFirst) => {
        if (isFirst) options.log.error('a record of a list or call cannot be written', { error })
      },
    })
  }

  /** False from a record that could not be written to the next one that could: no call is made in the meantime. */
  get isWritable(): boolean {
    return this.#calls.isWritable
  }

  begin({ id: session, agentGroupID }: RecordOwner, op: CallRecord['op'], target: Target = { server: '' }): Pending {
    const note: CallNote = { id: this.#nextId(), time: wallTime(), session, agentGroupID, op, ...target }
    const slot = this.#fill(note)
    return {
      setTarget: (other) => {
        if (slot !== undefined) this.#calls.change(slot, { ...note, ...other })
      },
      write: (record) => this.#write(note, slot, record),
    }
  }

  /** Writes a record for each call that an earlier process left unfinished: whether it took effect is unknown. */
  async recover(): Promise<void> {
    await this.#calls.recover((noted, slot) => {
      const note = v.safeParse(CallNote, noted)
      if (!note.success) return undefined
      const { server, tool } = note.output
      const known = { server, ...(tool !== undefined && { tool }) }
      return this.#write(note.output, slot, { ...known, status: 'unknown', received: 0, sent: 0, duration: 0 })
    })
  }

  #fill(note: CallNote): Slot | undefined {
    try {
      return this.#calls.begin(note)
    } catch {
      return undefined
    }
  }

  async #write(
    { id, session, agentGroupID, op }: CallNote,
    slot: Slot | undefined,
    { received, sent, ...rest }: RecordInput,
  ): Promise<void> {
    const duration = Math.round(rest.duration * 1000) / 1000
    const time = wallTime()
    const record: CallRecord = { id, time, session, agentGroupID, op, ...rest, bytes: received + sent, duration }
    this.#logRecord(record, received, sent)
    await this.#calls.write(record, slot)
  }

  #logRecord({ time: _, ...record }: CallRecord, received: number, sent: number): void {
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
