// One event stream. It sends the missed events first, then new ones, each once and in order.
import { type Digest, isServiceError, limits, type News, type Principal } from '@gatehouse/contracts'
import { type BackpressureWriter, ReaderOutlet } from '../events/backpressure-writer.ts'
import { type Batch, encodeBatch, endAt, type Events, gapChunk, type Listener, markChunk } from '../events/events.ts'
import { sees } from '../guards/scope.ts'

export interface Page {
  readonly items: readonly News[]
  /** Last line of the journal. */
  readonly head: number
  /** Last line that was scanned. */
  readonly upTo: number
}

export interface StreamOptions {
  readonly events: Events
  readonly token: Digest | null
  readonly principal: Principal
  /** Line after which to resume; undefined for new events only. */
  readonly after: number | undefined
  /** Reads the lines after `after` that are visible to this token, oldest first. */
  readonly read: (after: number, limit: number) => Promise<Page>
  /** Whether the token is still authorized. */
  readonly permit: () => Promise<Principal>
  /** Ends the connection without waiting for the reader. */
  readonly cut: () => void
  /** Maximum unread bytes. */
  readonly backlog?: number
  /** Maximum number of replayed lines. */
  readonly replay?: number
}

/** Greater than any line number. */
const fromNow = Number.MAX_SAFE_INTEGER

/** Codes that end a stream. Other errors are temporary. */
const isRefused = (error: unknown): boolean => isServiceError(error) && ['unauthorized', 'forbidden', 'not-found'].includes(error.code)

export class NewsStream implements Listener {
  readonly kind = 'reader'
  readonly token: Digest | null
  readonly principal: Principal
  readonly outlet: BackpressureWriter
  readonly #options: StreamOptions
  readonly #endOfExpiry: () => void
  readonly #backlog: number
  /** Last line that was sent, or that is not visible to this reader. */
  #last = 0
  /** Events that arrived during a replay; null outside of replays. */
  #held: Batch[] | null = []
  #heldBytes = 0
  #again = false
  #readings = -1

  constructor(options: StreamOptions) {
    this.#options = options
    this.token = options.token
    this.principal = options.principal
    this.#backlog = options.backlog ?? limits.eventBacklog
    this.outlet = new ReaderOutlet({ most: this.#backlog, onClose: () => this.#leave(), cut: options.cut })
    this.#endOfExpiry = endAt(options.principal.expiresAt, () => this.#check())
  }

  /** Sends the initial id. Rejects if the gateway refuses. Afterwards the stream runs on its own. */
  async begin(): Promise<void> {
    const { after, read, replay = limits.eventReplay } = this.#options
    const { head } = await read(fromNow, 1)
    const missed = after === undefined ? 0 : head - after
    // The reader has seen another journal, or a longer one, so the number of missed events is unknown.
    const lost = missed > replay || missed < 0
    this.#last = after === undefined || lost ? head : after
    this.outlet.write(lost ? gapChunk(after ?? head, head) : markChunk(this.#last))
    void this.#catchUp()
  }

  hear(batch: Batch): void {
    if (this.#held === null) return this.#tell(batch)
    this.#held.push(batch)
    this.#heldBytes += batch.whole.byteLength
    if (this.#heldBytes > this.#backlog) this.#fetchLater()
  }

  resume(): void {
    if (this.#held !== null) {
      this.#again = true
      return
    }
    this.#fetchLater()
    void this.#catchUp()
  }

  ping(chunk: Uint8Array): void {
    const readings = this.outlet.readings()
    if (!this.outlet.isTaken() && readings === this.#readings) return this.outlet.cut()
    this.#readings = readings
    this.outlet.write(chunk)
    void this.#check()
  }

  end(): void {
    this.outlet.end()
  }

  #leave(): void {
    this.#endOfExpiry()
    this.#options.events.leave(this)
  }

  /** Drops the buffered events, which will be read again. */
  #fetchLater(): void {
    this.#held = []
    this.#heldBytes = 0
    this.#again = true
  }

  /** Only a refusal ends a stream. If the gateway is unavailable, the read is retried. */
  async #check(): Promise<void> {
    try {
      await this.#options.permit()
    } catch (error) {
      if (isRefused(error)) this.end()
    }
  }

  async #catchUp(): Promise<void> {
    try {
      do {
        this.#again = false
        await this.#replay()
      } while (this.#again && this.outlet.isOpen())
    } catch (error) {
      if (isRefused(error)) this.end()
      else this.#retry()
      return
    }
    const held = this.#held ?? []
    this.#held = null
    this.#heldBytes = 0
    for (const batch of held) this.#tell(batch)
  }

  #retry(): void {
    const timer = setTimeout(() => void (this.outlet.isOpen() && this.#catchUp()), limits.rpcRetryMost)
    timer.unref()
  }

  /** Reads all pages. A page can be short or empty before the end. */
  async #replay(): Promise<void> {
    let from: number
    do {
      from = this.#last
      const { items, head, upTo } = await this.#options.read(from, limits.pageSizeMost)
      this.#tell(encodeBatch(items))
      this.#last = Math.max(this.#last, upTo)
      await this.outlet.taken()
      if (upTo >= head) return
    } while (this.#last > from && this.outlet.isOpen())
  }

  /** Skips lines that were sent or are not visible to the reader. */
  #tell({ items, whole }: Batch): void {
    const from = this.#last
    const fresh = items.filter(({ news }) => news.seq > from && sees(this.principal, news.agentGroupID))
    this.#last = Math.max(from, items.at(-1)?.news.seq ?? 0)
    this.outlet.write(fresh.length === items.length ? whole : Buffer.concat(fresh.map(({ chunk }) => chunk)))
  }
}
