// One record per list and call, in the log and in `calls.jsonl`, before the answer leaves. Never an argument, a result,
// a variable or a word of a server's error.
import type { CallRecord } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'

export interface Records {
  append(record: object): Promise<void>
}

export interface RecorderOptions {
  readonly records: Records
  /** Writes at `info` whatever the level of the process. */
  readonly log: Logger
  readonly metrics: Metrics
  /** Whether this is the name of a server in the catalog: only those become labels. */
  readonly isKnown: (server: string) => boolean
}

export interface RecordInput extends Omit<CallRecord, 'time' | 'bytes'> {
  readonly received: number
  readonly sent: number
}

/** Label of what is no server of the catalog. */
const unknownServer = 'none'

export class Recorder {
  readonly #options: RecorderOptions
  #isWritable = true

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** False from a record that could not be written to the next one that could. */
  get isWritable(): boolean {
    return this.#isWritable
  }

  /** Rejects when the record is not in the file. */
  async write({ received, sent, ...rest }: RecordInput): Promise<void> {
    const duration = Math.round(rest.duration * 1000) / 1000
    const record: CallRecord = { time: new Date().toISOString(), ...rest, bytes: received + sent, duration }
    this.#tell(record, received, sent)
    try {
      await this.#options.records.append(record)
      this.#isWritable = true
    } catch (error) {
      this.#isWritable = false
      this.#options.log.error('a record of a list or call cannot be written', { error })
      throw error
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
