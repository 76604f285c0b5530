// The upstreams of one catalog entry: one that all sessions share, or one for each session.
import { rm } from 'node:fs/promises'
import { limits, type ServerState, type SessionID } from '@gatehouse/contracts'
import type { Metrics } from '@gatehouse/kernel'
import { serverDirectory } from './make-transport.ts'
import { Upstream, type UpstreamOptions } from './upstream.ts'

/** A gauge that several connections to one server fill together. */
class SummedGauge {
  readonly #parts = new Map<object, number>()
  readonly #show: (sum: number) => void
  #isOver = false

  constructor(show: (sum: number) => void) {
    this.#show = show
    show(0)
  }

  set(part: object, value: number): void {
    if (value === 0) this.#parts.delete(part)
    else this.#parts.set(part, value)
    if (!this.#isOver) this.#show([...this.#parts.values()].reduce((sum, each) => sum + each, 0))
  }

  /** Stops reporting values. */
  end(): void {
    this.#isOver = true
  }
}

export interface PoolOptions extends Omit<UpstreamOptions, 'onUp' | 'onWaiting' | 'session'> {
  readonly metrics: Metrics
}

interface SessionUpstream {
  readonly upstream: Upstream
  /** Ends an upstream that its session has not used for long. */
  readonly idle: NodeJS.Timeout
}

const earliest = (times: readonly (string | undefined)[]): string | undefined => times.filter((time) => time !== undefined).toSorted()[0]

/** The state of several connections as one: it is up while any is. */
const mergeStates = (states: readonly ServerState[]): ServerState => {
  const status = (['up', 'connecting', 'down'] as const).find((each) => states.some((state) => state.status === each)) ?? 'idle'
  const lastError = states.find((state) => state.lastError !== undefined)?.lastError
  const nextAttemptAt = earliest(states.map((state) => state.nextAttemptAt))
  const tools = states.find((state) => state.tools !== undefined)?.tools
  return {
    status,
    ...(lastError !== undefined && { lastError }),
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
    ...(tools !== undefined && { tools }),
  }
}

export class UpstreamPool {
  readonly #options: PoolOptions
  readonly #up: SummedGauge
  readonly #waiting: SummedGauge
  readonly #shared: Upstream | undefined
  readonly #own = new Map<SessionID, SessionUpstream>()

  constructor(options: PoolOptions) {
    const { metrics, name: server, entry } = options
    this.#options = options
    this.#up = new SummedGauge((sum) => metrics.gauge('broker_upstream_up').set({ server }, sum))
    this.#waiting = new SummedGauge((sum) => metrics.gauge('broker_queue_depth').set({ server }, sum))
    this.#shared = entry.sharing === 'session' ? undefined : this.#create()
  }

  get state(): ServerState {
    return this.#shared?.state ?? mergeStates([...this.#own.values()].map(({ upstream }) => upstream.state))
  }

  /** Undefined where each session has its own and none is named. */
  find(session?: SessionID): Upstream | undefined {
    if (this.#shared !== undefined || session === undefined) return this.#shared
    const own = this.#own.get(session) ?? this.#open(session)
    own.idle.refresh()
    return own.upstream
  }

  /** Ends the upstream that the session had for itself, and removes its files. */
  async leave(session: SessionID): Promise<void> {
    const own = this.#own.get(session)
    if (own === undefined) return
    this.#own.delete(session)
    clearTimeout(own.idle)
    await own.upstream.close()
    // A call came back in the meantime.
    if (this.#own.has(session)) return
    const { name, settings } = this.#options
    await rm(serverDirectory(settings.boot.runDir, { name, session }), { recursive: true, force: true })
  }

  /** Calls in flight end on the connection that they began on. */
  retire(): void {
    for (const upstream of this.#all()) upstream.retire()
    this.#up.end()
    this.#waiting.end()
    this.#options.metrics.gauge('broker_upstream_up').remove({ server: this.#options.name })
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((upstream) => upstream.close()))
  }

  #all(): Upstream[] {
    for (const { idle } of this.#own.values()) clearTimeout(idle)
    return [...(this.#shared === undefined ? [] : [this.#shared]), ...[...this.#own.values()].map(({ upstream }) => upstream)]
  }

  #open(session: SessionID): SessionUpstream {
    const idle = setTimeout(() => void this.leave(session), limits.idleStop)
    idle.unref()
    const own = { upstream: this.#create(session), idle }
    this.#own.set(session, own)
    return own
  }

  #create(session?: SessionID): Upstream {
    const part = {}
    return new Upstream({
      ...this.#options,
      ...(session !== undefined && { session }),
      onUp: (up) => this.#up.set(part, up),
      onWaiting: (waiting) => this.#waiting.set(part, waiting),
    })
  }
}
