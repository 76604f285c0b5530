// One record per request, in the log and in `model-calls.jsonl`, before its answer ends. Records never contain text of a request or an answer.
import { ModelCallRecord, type ModelErrorCode, modelProviders } from '@gatehouse/contracts'
import { CallLog, type Records, type Slot } from '@gatehouse/journal'
import type { Logger, Metrics } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Tokens } from '../budget.ts'
import type { ModelCall } from '../call.ts'

export interface RecorderOptions {
  readonly records: Pick<Records, 'begin' | 'append' | 'unfinished'>
  /** Writes at `info` whatever the level of the process. */
  readonly log: Logger
  readonly metrics: Metrics
  /** The clock for the times of records. */
  readonly clock: () => number
}

type Outcome = ModelCallRecord['outcome']

const outcomes: Partial<Record<ModelErrorCode, Outcome>> = {
  cancelled: 'cancelled',
  'provider-timeout': 'timeout',
  'provider-error': 'error',
  'provider-refused': 'error',
  'provider-malformed': 'error',
  'provider-unreachable': 'error',
  'provider-leaked-key': 'error',
  'rate-limited': 'error',
  unavailable: 'error',
}

const outcomeOf = (code: ModelErrorCode | undefined): Outcome => (code === undefined ? 'ok' : (outcomes[code] ?? 'refused'))

const thousandths = (value: number): number => Math.round(value * 1000) / 1000

const recordOf = (call: ModelCall, tokens: Tokens, time: string): ModelCallRecord => ({
  id: call.id,
  time,
  session: call.caller.id,
  agentGroupID: call.caller.agentGroupID,
  provider: call.provider,
  model: call.model,
  outcome: outcomeOf(call.code),
  ...(call.code !== undefined && { code: call.code }),
  ...(call.status !== undefined && { status: call.status }),
  bytesIn: call.bytesIn,
  bytesOut: call.bytesOut,
  tokensIn: tokens.input,
  tokensOut: tokens.output,
  ...(tokens.estimated && { estimated: true }),
  ...(call.firstByte !== undefined && { firstByte: thousandths(call.firstByte) }),
  duration: thousandths(performance.now() - call.started),
})

/** Label for unknown providers. */
const unknownProvider = 'none'

const touch = (metrics: Metrics): void => {
  metrics.touch('group_limit_reached_total', { limit: 'modelTokensPerDay' })
  for (const provider of modelProviders) {
    metrics.touch('model_proxy_egress_bytes_total', { provider })
    metrics.touch('model_proxy_errors_total', { provider, class: 'provider-error' })
    metrics.touch('model_proxy_request_duration_seconds', { provider, outcome: 'ok' })
    for (const direction of ['in', 'out']) metrics.touch('model_proxy_tokens_total', { provider, direction })
  }
}

export class Recorder {
  readonly #options: RecorderOptions
  readonly #calls: CallLog

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#calls = new CallLog({
      records: options.records,
      onUnwritable: (error) => options.log.error('could not write the record of a model request', { error }),
    })
    touch(options.metrics)
  }

  /** False from a record that could not be written to the next one that could. */
  get isWritable(): boolean {
    return this.#calls.isWritable
  }

  /** Fills a slot for a request before it is sent, with its reserved tokens. Throws `audit-unwritable`. */
  begin(call: ModelCall): Slot {
    const tokens = { ...call.reserved, estimated: true }
    return this.#calls.begin(recordOf(call, tokens, this.#now()))
  }

  /** Rejects when the record is not in the file. */
  async end(call: ModelCall, tokens: Tokens): Promise<void> {
    await this.#write(recordOf(call, tokens, this.#now()), call.slot)
  }

  /** Records requests that a killed process was sending. Their outcome is unknown, so they count with their reserved tokens. */
  async recover(): Promise<void> {
    await this.#calls.recover((note, slot) => {
      const { code: _, ...noted } = v.parse(ModelCallRecord, note)
      return this.#write({ ...noted, time: this.#now(), outcome: 'unknown' }, slot)
    })
  }

  #now(): string {
    return new Date(this.#options.clock()).toISOString()
  }

  async #write(record: ModelCallRecord, slot: Slot | undefined): Promise<void> {
    const { time: _, ...line } = record
    this.#options.log.info('model.call', line)
    this.#count(record)
    await this.#calls.write(record, slot)
  }

  #count({ provider: name, outcome, code, duration, bytesIn, tokensIn, tokensOut, status }: ModelCallRecord): void {
    const { metrics } = this.#options
    const provider = modelProviders.some((known) => known === name) ? name : unknownProvider
    metrics.histogram('model_proxy_request_duration_seconds').observe({ provider, outcome }, duration / 1000)
    if (code !== undefined) metrics.counter('model_proxy_errors_total').inc({ provider, class: code })
    if (code === 'budget-exhausted') metrics.counter('group_limit_reached_total').inc({ limit: 'modelTokensPerDay' })
    if (status !== undefined) metrics.counter('model_proxy_egress_bytes_total').inc({ provider }, bytesIn)
    metrics.counter('model_proxy_tokens_total').inc({ provider, direction: 'in' }, tokensIn)
    metrics.counter('model_proxy_tokens_total').inc({ provider, direction: 'out' }, tokensOut)
  }
}
