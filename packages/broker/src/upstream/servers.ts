// The tool servers of the catalog, each behind one shared upstream, kept in step with what the gateway holds.
import type { gatewayBroker, Result, ServerState, ToolDefinition } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { ConnectSettings } from './make-transport.ts'
import { Upstream } from './upstream.ts'

export type CatalogItem = Result<typeof gatewayBroker, 'catalog'>[number]

export interface ServersOptions {
  readonly settings: ConnectSettings
  readonly log: Logger
  readonly metrics: Metrics
  /** Told after every listing, with the identity of the entry that was listed. */
  readonly onListed: (item: CatalogItem, tools: readonly ToolDefinition[]) => void
}

interface Known {
  readonly item: CatalogItem
  readonly upstream: Upstream
}

export class Servers {
  readonly #options: ServersOptions
  readonly #known = new Map<string, Known>()

  constructor(options: ServersOptions) {
    this.#options = options
  }

  find(name: string): Upstream | undefined {
    return this.#known.get(name)?.upstream
  }

  item(name: string): CatalogItem | undefined {
    return this.#known.get(name)?.item
  }

  all(): readonly (readonly [CatalogItem, Upstream])[] {
    return [...this.#known.values()].map(({ item, upstream }) => [item, upstream] as const)
  }

  /** An entry that changed, be it in a value, or that was removed loses its connection; calls in flight end on it. */
  synchronize(catalog: readonly CatalogItem[]): void {
    const wanted = new Map<string, CatalogItem>(catalog.map((item) => [item.name, item]))
    for (const [name, { item, upstream }] of this.#known) {
      if (wanted.get(name)?.tag === item.tag) continue
      upstream.retire()
      this.#known.delete(name)
    }
    for (const item of catalog) if (!this.#known.has(item.name)) this.#known.set(item.name, { item, upstream: this.#create(item) })
  }

  states(): Record<string, ServerState> {
    return Object.fromEntries([...this.#known].map(([name, { upstream }]) => [name, upstream.state]))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ upstream }) => upstream.close()))
  }

  #create(item: CatalogItem): Upstream {
    const { settings, metrics, onListed } = this.#options
    return new Upstream({
      name: item.name,
      entry: item.entry,
      settings,
      metrics,
      log: this.#options.log.child({ server: item.name }),
      onListed: (listing) => onListed(item, [...listing.tools.values()]),
    })
  }
}
