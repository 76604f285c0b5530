// Event stream with the notifications of one client. It reports when the tools may have changed, and ends with the token.
import { type Digest, isServiceError, limits, type Principal } from '@gatehouse/contracts'
import { type BackpressureWriter, ReaderOutlet } from '../events/backpressure-writer.ts'
import type { Batch, Events, Listener } from '../events/events.ts'
import { endAt } from '../events/events.ts'

/** Stages of journal lines that can change the list of tools or decide a request. */
const stages: ReadonlySet<string> = new Set([
  'apply',
  'apply-failed',
  'reject',
  'withdraw',
  'expire',
  'freeze',
  'unfreeze',
  'catalog-put',
  'catalog-delete',
  'catalog-reload',
  'observed-drift',
])

export interface ClientStreamOptions {
  readonly events: Events
  readonly token: Digest
  readonly principal: Principal
  /** Writes a notification into `source`. */
  readonly notify: () => void
  /** Ends `source`. */
  readonly close: () => void
  /** Whether the token is still authorized. */
  readonly permit: () => Promise<unknown>
  /** Ends the connection without waiting for the reader. */
  readonly cut: () => void
}

export class ClientStream implements Listener {
  readonly kind = 'client'
  readonly token: Digest
  readonly principal: Principal
  readonly #options: ClientStreamOptions
  readonly #outlet: BackpressureWriter
  readonly #stopExpiry: () => void
  #readings = -1

  constructor(options: ClientStreamOptions) {
    this.#options = options
    this.token = options.token
    this.principal = options.principal
    this.#outlet = new ReaderOutlet({ most: limits.eventBacklog, onClose: () => this.#leave(), cut: options.cut })
    this.#stopExpiry = endAt(options.principal.expiresAt, () => this.#check())
  }

  /** Forwards `source` at the pace of the reader until the token expires. */
  begin(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    void this.#pump(source)
    return this.#outlet.stream
  }

  hear({ items }: Batch): void {
    const groups: readonly string[] = this.principal.groups ?? []
    const isFor = (group: string | undefined): boolean => group === undefined || groups.includes(group)
    if (items.some(({ news }) => stages.has(news.stage) && isFor(news.agentGroupID))) this.#options.notify()
  }

  resume(): void {
    this.#options.notify()
  }

  ping(chunk: Uint8Array): void {
    const readings = this.#outlet.readings()
    if (!this.#outlet.isTaken() && readings === this.#readings) return this.#outlet.cut()
    this.#readings = readings
    this.#outlet.write(chunk)
    void this.#check()
  }

  end(): void {
    this.#outlet.end()
  }

  async #pump(source: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of source) this.#outlet.write(chunk)
    } catch {
      // The source has ended it.
    }
    this.end()
  }

  #leave(): void {
    this.#stopExpiry()
    this.#options.events.leave(this)
    this.#options.close()
  }

  /** Only a refusal ends a stream. If the gateway is unavailable, the check is retried. */
  async #check(): Promise<void> {
    try {
      await this.#options.permit()
    } catch (error) {
      if (isServiceError(error) && ['unauthorized', 'forbidden'].includes(error.code)) this.end()
    }
  }
}
