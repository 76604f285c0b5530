// How the sessions of a unit share one entry of the catalog: all one connection, or each one of its own.
import { rm } from 'node:fs/promises'
import { limits, type ServerState, type SessionID } from '@gatehouse/contracts'
import type { Metrics } from '@gatehouse/kernel'
import { serverDirectory } from './make-transport.ts'
import { Tally } from './tally.ts'
import { Upstream, type UpstreamOptions } from './upstream.ts'

export interface ShareOptions extends Omit<UpstreamOptions, 'onUp' | 'onWaiting' | 'session'> {
  readonly metrics: Metrics
}

interface Own {
  readonly upstream: Upstream
  /** Ends what a session has not used for long. */
  readonly idle: NodeJS.Timeout
}

const earliest = (times: readonly (string | undefined)[]): string | undefined => times.filter((time) => time !== undefined).toSorted()[0]

/** Of several connections, as one: it is up while any is. */
const joined = (states: readonly ServerState[]): ServerState => {
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

export class Share {
  readonly #options: ShareOptions
  readonly #up: Tally
  readonly #waiting: Tally
  readonly #shared: Upstream | undefined
  readonly #own = new Map<SessionID, Own>()

  constructor(options: ShareOptions) {
    const { metrics, name: server, entry } = options
    this.#options = options
    this.#up = new Tally((sum) => metrics.gauge('broker_upstream_up').set({ server }, sum))
    this.#waiting = new Tally((sum) => metrics.gauge('broker_queue_depth').set({ server }, sum))
    this.#shared = entry.sharing === 'session' ? undefined : this.#create()
  }

  get state(): ServerState {
    return this.#shared?.state ?? joined([...this.#own.values()].map(({ upstream }) => upstream.state))
  }

  /** Undefined where each session has its own and none is named. */
  find(session?: SessionID): Upstream | undefined {
    if (this.#shared !== undefined || session === undefined) return this.#shared
    const own = this.#own.get(session) ?? this.#begin(session)
    own.idle.refresh()
    return own.upstream
  }

  /** The session is over, and with it what it had for itself. */
  async leave(session: SessionID): Promise<void> {
    const own = this.#own.get(session)
    if (own === undefined) return
    this.#own.delete(session)
    clearTimeout(own.idle)
    await own.upstream.close()
    // Somebody came back meanwhile.
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

  #begin(session: SessionID): Own {
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
