// A connection that stands, with the list of its tools: read once before anybody uses it, and again whenever it may have changed.
import { limits, type ToolDefinition } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { Slots } from '../fairness/slots.ts'
import { classify } from './classify.ts'
import { abortFailure, connect, type Connection } from './connection.ts'
import { fatal, UpstreamError, UpstreamFailure } from './failure.ts'
import { listTools } from './listing.ts'
import type { ConnectSettings } from './make-transport.ts'
import type { NamedEntry } from './named-entry.ts'

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
  /** Told after every listing. */
  readonly onListed: (listing: Listing) => void
  /** Told when the number of calls that wait for a slot has changed. */
  readonly onWaiting: (waiting: number) => void
  /** Told when a listing found that nothing more can come from the connection. */
  readonly onDead: (live: Live, failure: UpstreamFailure) => void
}

/** Announcements that come in a row are answered by one listing, a storm of them by fewer and fewer. */
const settleTime = 100

/** Never so often that it is a load, never so seldom that a new tool is missed for a day. */
const pollTime = ({ ttl = limits.listPoll }: Listing): number => Math.min(Math.max(ttl, limits.listKeptLeast), limits.listKeptMost)

const jittered = (time: number): number => time * (0.8 + 0.4 * Math.random())

const listingOf = async (connection: Connection, { log, onListed }: OpenOptions, signal: AbortSignal): Promise<Listing> => {
  const { tools, dropped, ttl } = await listTools(connection, signal).catch((error: unknown) => {
    if (signal.aborted) throw abortFailure(signal)
    throw error instanceof UpstreamError ? new UpstreamFailure('protocol') : classify(error)
  })
  if (dropped > 0) log.warn('a tool server declares tools that cannot be used', { dropped, kept: tools.length })
  const listing = { tools: new Map(tools.map((tool) => [tool.name, tool])), at: performance.now(), ...(ttl !== undefined && { ttl }) }
  onListed(listing)
  return listing
}

export class Live {
  readonly connection: Connection
  /** What may run on it at once: calls that never end hold up nobody on the connection after it. */
  readonly slots: Slots
  readonly #options: OpenOptions
  #listing: Listing
  #refreshing: Promise<Listing> | undefined
  #timer: NodeJS.Timeout | undefined
  /** From an announcement to the listing that answers it. */
  #isAnnounced = false
  #settles = settleTime / 2
  #users = 0
  #retired: UpstreamFailure | undefined
  #isLost = false

  private constructor(connection: Connection, listing: Listing, options: OpenOptions) {
    this.connection = connection
    this.#listing = listing
    this.#options = options
    this.slots = new Slots({ onWaiting: options.onWaiting })
    this.#later(jittered(pollTime(listing)))
    void connection.gone.then(() => clearTimeout(this.#timer))
  }

  /** Connects and lists within the time of a probe. Rejects with `UpstreamFailure`. */
  static async open(options: OpenOptions): Promise<Live> {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(limits.probeTime)])
    let live: Live | undefined
    let hasChanged = false
    const onToolsChanged = (): void => {
      hasChanged = true
      live?.changed()
    }
    const connection = await connect(options, options.settings, { signal, onToolsChanged })
    try {
      live = new Live(connection, await listingOf(connection, options, signal), options)
    } catch (error) {
      const failure = signal.aborted ? abortFailure(signal) : classify(error)
      await connection.close(failure)
      throw failure
    }
    if (hasChanged) live.changed()
    return live
  }

  /** Nothing more is sent on it. */
  get isLost(): boolean {
    return this.#isLost
  }

  get listing(): Listing {
    return this.#listing
  }

  /** Reads the list anew; those who ask meanwhile share the answer. */
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

  /** While somebody uses it, it is not closed by `retire`. */
  async use<T>(act: () => Promise<T>): Promise<T> {
    this.#users += 1
    try {
      return await act()
    } finally {
      this.#users -= 1
      this.#closeWhenIdle()
    }
  }

  /** A server that is at work on a call may have no ear for a listing: that it is silent says nothing. */
  isBusy(error: unknown): boolean {
    return error instanceof UpstreamFailure && error.kind === 'silent' && this.slots.isTaken
  }

  /** What waits for a slot is told; what was sent may still be answered. */
  lose(reason: UpstreamFailure): void {
    this.#isLost = true
    this.slots.close()
    this.retire(reason)
  }

  /** What uses it, or waits for a slot, goes on. */
  retire(reason: UpstreamFailure): void {
    this.#retired ??= reason
    this.#closeWhenIdle()
  }

  #closeWhenIdle(): void {
    if (this.#retired !== undefined && this.#users === 0) void this.connection.close(this.#retired)
  }

  async #list(): Promise<Listing> {
    const listing = await listingOf(this.connection, this.#options, AbortSignal.timeout(limits.probeTime))
    this.#listing = listing
    return listing
  }

  #notListed(failure: UpstreamFailure): void {
    const { log, onDead } = this.#options
    log.warn('the tools of a server could not be listed; the last list stays', { reason: failure.message })
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
    // Also a server that announces changes is asked now and then: many have no way to tell us, and say that they do.
    if (!this.#isAnnounced && this.#retired === undefined) this.#later(jittered(pollTime(this.#listing)))
  }
}
