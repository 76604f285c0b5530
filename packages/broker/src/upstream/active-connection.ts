// An open connection with the list of its tools, which is read before the first use and again whenever it may have changed.
import { limits, type ToolDefinition } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { classify } from './base/classify.ts'
import { fatal, UpstreamError, UpstreamFailure } from './base/failure.ts'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { abortFailure, connect, type Connection } from './connection.ts'
import { listTools } from './list-tools.ts'
import type { ConnectSettings, NamedEntry } from './make-transport.ts'

export interface Listing {
  readonly tools: ReadonlyMap<string, ToolDefinition>
  /** Milliseconds of `performance.now()`. */
  readonly at: number
  /** Milliseconds for which the server says that it may be kept. */
  readonly ttl?: number
}

export interface OpenOptions extends NamedEntry {
  readonly settings: ConnectSettings
  readonly log: Logger
  /** Ends the attempt, with the failure that is its reason. */
  readonly signal: AbortSignal
  /** Called after every listing. */
  readonly onListed: (listing: Listing) => void
  /** Called when the number of queued calls has changed. */
  readonly onWaiting: (waiting: number) => void
  /** Called when a listing found that the connection is dead. */
  readonly onDead: (connection: ActiveConnection, failure: UpstreamFailure) => void
}

/** Milliseconds. Announcements in quick succession cause one listing, and a storm of them increasingly few. */
const settleTime = 100

/** Often enough to notice a new tool within a day, and rarely enough to cause no load. */
const pollTime = ({ ttl = limits.listPoll }: Listing): number => Math.min(Math.max(ttl, limits.listKeptLeast), limits.listKeptMost)

const withJitter = (time: number): number => time * (0.8 + 0.4 * Math.random())

const readListing = async (connection: Connection, { log, onListed }: OpenOptions, signal: AbortSignal): Promise<Listing> => {
  const { tools, dropped, ttl } = await listTools(connection, signal).catch((error: unknown) => {
    if (signal.aborted) throw abortFailure(signal)
    throw error instanceof UpstreamError ? new UpstreamFailure('protocol') : classify(error)
  })
  if (dropped > 0) log.warn('a tool server declares tools that cannot be used', { dropped, kept: tools.length })
  const listing = { tools: new Map(tools.map((tool) => [tool.name, tool])), at: performance.now(), ...(ttl !== undefined && { ttl }) }
  onListed(listing)
  return listing
}

export class ActiveConnection {
  readonly connection: Connection
  /** Limits the calls that run on it at once. Each connection has its own: calls that never end do not block the next one. */
  readonly limiter: ConcurrencyLimiter
  readonly #options: OpenOptions
  #listing: Listing
  #refreshing: Promise<Listing> | undefined
  #timer: NodeJS.Timeout | undefined
  /** Delay from an announcement to its listing. */
  #isAnnounced = false
  #settles = settleTime / 2
  #users = 0
  #retired: UpstreamFailure | undefined
  #isLost = false
  /** A check of `isResponsive` runs. */
  #isSuspect = false

  private constructor(connection: Connection, listing: Listing, options: OpenOptions) {
    this.connection = connection
    this.#listing = listing
    this.#options = options
    this.limiter = new ConcurrencyLimiter({ onWaiting: options.onWaiting })
    this.#later(withJitter(pollTime(listing)))
    void connection.gone.then(() => clearTimeout(this.#timer))
  }

  /** Connects and lists within the time of a probe. Rejects with `UpstreamFailure`. */
  static async open(options: OpenOptions): Promise<ActiveConnection> {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(limits.probeTime)])
    let opened: ActiveConnection | undefined
    let hasChanged = false
    const onToolsChanged = (): void => {
      hasChanged = true
      opened?.changed()
    }
    const connection = await connect(options, options.settings, { signal, onToolsChanged })
    try {
      opened = new ActiveConnection(connection, await readListing(connection, options, signal), options)
    } catch (error) {
      const failure = signal.aborted ? abortFailure(signal) : classify(error)
      await connection.close(failure)
      throw failure
    }
    if (hasChanged) opened.changed()
    return opened
  }

  /** Nothing more is sent on it. */
  get isLost(): boolean {
    return this.#isLost
  }

  get listing(): Listing {
    return this.#listing
  }

  /** Reads the list again. Callers that ask while it is read share the answer. */
  refresh(): Promise<Listing> {
    this.#refreshing ??= this.#list().finally(() => (this.#refreshing = undefined))
    return this.#refreshing
  }

  changed(): void {
    if (this.#isAnnounced) return
    this.#isAnnounced = true
    const isCalm = performance.now() - this.#listing.at > limits.upstreamSustained
    this.#settles = isCalm ? settleTime : Math.min(2 * this.#settles, limits.listKeptLeast)
    this.#later(this.#settles)
  }

  /** `retire` does not close the connection while something uses it. */
  async use<T>(act: () => Promise<T>): Promise<T> {
    this.#users += 1
    try {
      return await act()
    } finally {
      this.#users -= 1
      this.#closeWhenIdle()
    }
  }

  /** A server that works on a call may not answer a listing, so its silence does not mean that it is dead. */
  isBusy(error: unknown): boolean {
    return error instanceof UpstreamFailure && error.kind === 'silent' && this.limiter.isTaken
  }

  /** Whether the server answers anything; the content does not matter. True while an earlier check still runs. */
  async isResponsive(): Promise<boolean> {
    if (this.#isSuspect) return true
    this.#isSuspect = true
    const { requests, isLegacy } = this.connection
    const signal = AbortSignal.timeout(limits.connectTime)
    const answered = await requests.send(isLegacy ? 'ping' : 'server/discover', {}, signal).then(
      () => true,
      () => !signal.aborted,
    )
    this.#isSuspect = false
    return answered
  }

  /** Calls that wait for a slot are told; calls that were sent may still be answered. */
  lose(reason: UpstreamFailure): void {
    this.#isLost = true
    this.limiter.close()
    this.retire(reason)
  }

  /** Calls that use it or wait for a slot go on. */
  retire(reason: UpstreamFailure): void {
    this.#retired ??= reason
    this.#closeWhenIdle()
  }

  #closeWhenIdle(): void {
    if (this.#retired !== undefined && this.#users === 0) void this.connection.close(this.#retired)
  }

  async #list(): Promise<Listing> {
    const listing = await readListing(this.connection, this.#options, AbortSignal.timeout(limits.probeTime))
    this.#listing = listing
    return listing
  }

  #notListed(failure: UpstreamFailure): void {
    const { log, onDead } = this.#options
    log.warn('could not list the tools of a server, the last list stays in use', { reason: failure.message })
    if (fatal.has(failure.kind) && !this.isBusy(failure)) onDead(this, failure)
  }

  #later(time: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#relist(), time)
    this.#timer.unref()
  }

  async #relist(): Promise<void> {
    // An announcement during a listing asks for another one.
    await this.#refreshing?.catch(() => undefined)
    this.#isAnnounced = false
    await this.refresh().catch((error: unknown) => this.#notListed(classify(error)))
    // A server that announces changes is asked from time to time too: many claim to announce and have no way to.
    if (!this.#isAnnounced && this.#retired === undefined) this.#later(withJitter(pollTime(this.#listing)))
  }
}
