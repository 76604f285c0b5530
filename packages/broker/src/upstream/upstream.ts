// One tool server as its users share it. Keeps at most one connection: made on first need by one attempt at a time, and again after
// it was lost. Calls are in `call-tool.ts`.
import { setTimeout as pause } from 'node:timers/promises'
import { limits, type ProbeResult, type ServerState } from '@gatehouse/contracts'
import { abortable, backoff, type Metrics, wallMs } from '@gatehouse/kernel'
import { ActiveConnection, type Listing, type OpenOptions } from './active-connection.ts'
import { classify } from './base/classify.ts'
import { type FailureKind, NotConnected, UpstreamFailure } from './base/failure.ts'

export interface UpstreamOptions extends Omit<OpenOptions, 'signal' | 'onDead'> {
  readonly metrics: Metrics
  /** Called whenever a connection is made or lost. */
  readonly onUp: (up: 0 | 1) => void
}

/** Asking again soon does not help. */
const denials: ReadonlySet<FailureKind> = new Set(['denied', 'needs-login'])

/** When to connect again after a failure: pauses grow, with jitter, and start from the first after a connection that lasted. */
class RetrySchedule {
  readonly #pauses = backoff({ first: limits.upstreamRetryFirst, most: limits.upstreamRetryMost })
  #upSince = 0
  #last: UpstreamFailure | undefined
  #nextAt = 0

  get last(): UpstreamFailure | undefined {
    return this.#last
  }

  /** Milliseconds until the next attempt; 0 when it may be made now. */
  get wait(): number {
    return this.#last === undefined ? 0 : Math.max(0, this.#nextAt - performance.now())
  }

  up(): void {
    this.#upSince = performance.now()
    this.#last = undefined
  }

  failed(failure: UpstreamFailure): void {
    if (this.#upSince !== 0 && performance.now() - this.#upSince >= limits.upstreamSustained) this.#pauses.reset()
    this.#upSince = 0
    this.#last = failure
    this.#nextAt = performance.now() + (denials.has(failure.kind) ? limits.upstreamRetryDenied : this.#pauses.next())
  }
}

/** A server that has not been used yet has its series too. */
const initMetrics = (metrics: Metrics, server: string): void => {
  for (const name of ['broker_upstream_up', 'broker_upstream_needs_login', 'broker_upstream_restarts_total', 'broker_queue_depth'] as const)
    metrics.touch(name, { server })
  for (const direction of ['in', 'out']) metrics.touch('broker_bytes_total', { server, direction })
  for (const op of ['list', 'call']) {
    metrics.touch('broker_requests_total', { server, op, status: 'ok' })
    metrics.touch('broker_request_duration_seconds', { server, op })
  }
}

export class Upstream {
  readonly #options: UpstreamOptions
  readonly #schedule = new RetrySchedule()
  readonly #ending = new AbortController()
  #active: ActiveConnection | undefined
  #connecting: Promise<ActiveConnection> | undefined
  #hasBeenUp = false
  #lastListing: Listing | undefined

  constructor(options: UpstreamOptions) {
    initMetrics(options.metrics, options.name)
    this.#options = options
    options.onUp(0)
  }

  get state(): ServerState {
    const { last, wait } = this.#schedule
    const down = last === undefined ? 'idle' : 'down'
    const image = this.#active?.connection.image
    return {
      status: this.#active !== undefined ? 'up' : this.#connecting !== undefined ? 'connecting' : down,
      ...(last !== undefined && { lastError: last.message }),
      ...(wait > 0 && { nextAttemptAt: new Date(wallMs() + wait).toISOString() }),
      ...(this.#lastListing !== undefined && { tools: this.#lastListing.tools.size }),
      ...(image !== undefined && { image }),
    }
  }

  /** The last good list, also of a server that is down. */
  get lastListing(): Listing | undefined {
    return this.#lastListing
  }

  /** Rejects with the signal's reason or `UpstreamFailure`. Aborting does not end the attempt: others may wait for it. */
  async connected(signal: AbortSignal): Promise<ActiveConnection> {
    if (this.#active !== undefined) return this.#active
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined))
    return abortable(this.#connecting, signal)
  }

  async listing(signal: AbortSignal): Promise<Listing> {
    return (await this.connected(signal)).listing
  }

  /** Asks the server now instead of returning the list that is kept. */
  async relist(signal: AbortSignal): Promise<Listing> {
    return this.#active === undefined ? this.listing(signal) : abortable(this.#active.refresh(), signal)
  }

  /** The findings of a probe, asked on the connection that is open or being made; undefined where there is none. */
  async inspect(signal: AbortSignal): Promise<Omit<ProbeResult, 'elapsedMs'> | undefined> {
    const active = this.#active ?? (this.#connecting === undefined ? undefined : await this.connected(signal))
    if (active === undefined) return undefined
    const { tools } = await abortable(active.refresh(), signal)
    const { server, image } = active.connection
    return { tools: [...tools.values()], server, ...(image !== undefined && { image }) }
  }

  /** New calls get another connection. Calls that were sent on this one may still be answered. */
  lost(active: ActiveConnection, failure: UpstreamFailure): void {
    if (this.#active === active) {
      this.#active = undefined
      this.#schedule.failed(failure)
      this.#options.onUp(0)
      if (!this.#ending.signal.aborted) this.#options.log.warn('the connection to a tool server is lost', { reason: failure.message })
    }
    active.lose(failure)
  }

  /** Calls in flight end on the connection that they began on. */
  retire(): void {
    const reason = new UpstreamFailure('retired')
    this.#ending.abort(reason)
    this.#active?.retire(reason)
    this.#active = undefined
    this.#options.onUp(0)
  }

  /** Closes the connection at once, also under calls in flight. */
  async close(): Promise<void> {
    const active = this.#active
    this.retire()
    await this.#connecting?.catch(() => undefined)
    await active?.connection.close(new UpstreamFailure('retired'))
  }

  async #connect(): Promise<ActiveConnection> {
    const { last, wait } = this.#schedule
    if (last !== undefined && wait > limits.upstreamRetryWait) throw new NotConnected(last, wait)
    if (wait > 0) await pause(wait)
    if (this.#ending.signal.aborted) throw new UpstreamFailure('retired')
    try {
      return this.#up(await this.#open())
    } catch (error) {
      const failure = classify(error)
      this.#schedule.failed(failure)
      this.#options.log.warn('tool server unavailable', { reason: failure.message })
      throw new NotConnected(failure, this.#schedule.wait)
    }
  }

  #open(): Promise<ActiveConnection> {
    return ActiveConnection.open({
      ...this.#options,
      signal: this.#ending.signal,
      onListed: (listing) => {
        this.#lastListing = listing
        this.#options.onListed(listing)
      },
      onDead: (active, failure) => {
        this.lost(active, failure)
        this.#reconnectLater()
      },
    })
  }

  /** Without calls the recovery of a dead server would not be noticed. */
  #reconnectLater(): void {
    const reconnect = (): void => {
      if (this.#ending.signal.aborted || this.#active !== undefined) return
      void this.connected(this.#ending.signal).catch(() => this.#reconnectLater())
    }
    setTimeout(reconnect, limits.listPoll).unref()
  }

  #up(active: ActiveConnection): ActiveConnection {
    void active.connection.gone.then((reason) => this.lost(active, reason))
    if (this.#ending.signal.aborted) {
      active.retire(new UpstreamFailure('retired'))
      return active
    }
    if (this.#hasBeenUp) this.#options.metrics.counter('broker_upstream_restarts_total').inc({ server: this.#options.name })
    this.#hasBeenUp = true
    this.#active = active
    this.#schedule.up()
    this.#options.onUp(1)
    return active
  }
}
