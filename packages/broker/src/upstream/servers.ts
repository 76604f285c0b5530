// The tool servers of the catalog, each with its pool of upstreams, kept in step with the gateway; and the reports to the gateway
// of what each server declares.
import type { gatewayBroker, Result, ServerState, SessionID, ToolDefinition } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { ConnectSettings } from './make-transport.ts'
import { UpstreamPool } from './upstream-pool.ts'
import type { Upstream } from './upstream.ts'

type CatalogItem = Result<typeof gatewayBroker, 'catalog'>[number]

interface ServersOptions {
  readonly settings: ConnectSettings
  readonly log: Logger
  readonly metrics: Metrics
  /** Called after every listing, with the identity of the listed entry. */
  readonly onListed: (item: CatalogItem, tools: readonly ToolDefinition[]) => void
}

interface ServerRecord {
  readonly item: CatalogItem
  readonly pool: UpstreamPool
}

export class Servers {
  readonly #options: ServersOptions
  readonly #known = new Map<string, ServerRecord>()

  constructor(options: ServersOptions) {
    this.#options = options
  }

  /** The session's own upstream where each session has one; undefined where no session is named then. */
  find(name: string, session?: SessionID): Upstream | undefined {
    return this.#known.get(name)?.pool.find(session)
  }

  item(name: string): CatalogItem | undefined {
    return this.#known.get(name)?.item
  }

  /** An entry that changed, also in a value, or that was removed loses its connection; calls in flight end on it. */
  synchronize(catalog: readonly CatalogItem[]): void {
    const current = new Map<string, CatalogItem>(catalog.map((item) => [item.name, item]))
    for (const [name, { item, pool }] of this.#known) {
      if (current.get(name)?.tag === item.tag) continue
      pool.retire()
      this.#known.delete(name)
    }
    for (const item of catalog) if (!this.#known.has(item.name)) this.#known.set(item.name, { item, pool: this.#create(item) })
  }

  /** Replaces the connections after a login or logout. */
  renew(name: string): void {
    const known = this.#known.get(name)
    if (known === undefined) return
    known.pool.retire()
    this.#known.set(name, { item: known.item, pool: this.#create(known.item) })
  }

  /** Ends the separate upstreams of the session. */
  async leave(session: SessionID): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ pool }) => pool.leave(session)))
  }

  states(): Record<string, ServerState> {
    const { logins } = this.#options.settings
    const stateOf = (name: string, { pool }: ServerRecord): ServerState =>
      logins.needsLogin(name) ? { ...pool.state, status: 'needs-login' } : pool.state
    return Object.fromEntries([...this.#known].map(([name, record]) => [name, stateOf(name, record)]))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ pool }) => pool.close()))
  }

  #create(item: CatalogItem): UpstreamPool {
    const { settings, metrics, onListed } = this.#options
    return new UpstreamPool({
      name: item.name,
      entry: item.entry,
      settings,
      metrics,
      log: this.#options.log.child({ server: item.name }),
      onListed: (listing) => onListed(item, [...listing.tools.values()]),
    })
  }
}

interface Observation {
  readonly item: CatalogItem
  readonly tools: readonly ToolDefinition[]
}

export class EvidenceReporter {
  readonly #gateway: Pick<Calls<typeof gatewayBroker>, 'observed'>
  readonly #log: Logger
  readonly #pending = new Map<string, Observation>()

  constructor(gateway: Pick<Calls<typeof gatewayBroker>, 'observed'>, log: Logger) {
    this.#gateway = gateway
    this.#log = log
  }

  async report(item: CatalogItem, tools: readonly ToolDefinition[]): Promise<void> {
    const observation = { item, tools }
    this.#pending.set(item.name, observation)
    try {
      await this.#gateway.observed({ server: item.name, entryDigest: item.digest, tools: [...tools] })
      if (this.#pending.get(item.name) === observation) this.#pending.delete(item.name)
    } catch (error) {
      this.#log.warn('could not report the tools of a server to the gateway', { server: item.name, error })
    }
  }

  async resend(): Promise<void> {
    await Promise.all([...this.#pending.values()].map(({ item, tools }) => this.report(item, tools)))
  }
}
