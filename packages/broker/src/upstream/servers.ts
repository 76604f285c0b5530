// The tool servers of the catalog, each behind one shared upstream, kept in step with what the gateway holds.
import type { gatewayBroker, Result, ServerState, SessionID, ToolDefinition } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { ConnectSettings } from './make-transport.ts'
import { Share } from './share.ts'
import type { Upstream } from './upstream.ts'

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
  readonly share: Share
}

export class Servers {
  readonly #options: ServersOptions
  readonly #known = new Map<string, Known>()

  constructor(options: ServersOptions) {
    this.#options = options
  }

  /** That of the session, where each has its own; undefined where none is named then. */
  find(name: string, session?: SessionID): Upstream | undefined {
    return this.#known.get(name)?.share.find(session)
  }

  item(name: string): CatalogItem | undefined {
    return this.#known.get(name)?.item
  }

  /** An entry that changed, be it in a value, or that was removed loses its connection; calls in flight end on it. */
  synchronize(catalog: readonly CatalogItem[]): void {
    const wanted = new Map<string, CatalogItem>(catalog.map((item) => [item.name, item]))
    for (const [name, { item, share }] of this.#known) {
      if (wanted.get(name)?.tag === item.tag) continue
      share.retire()
      this.#known.delete(name)
    }
    for (const item of catalog) if (!this.#known.has(item.name)) this.#known.set(item.name, { item, share: this.#create(item) })
  }

  /** Ends what the session had for itself. */
  async leave(session: SessionID): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ share }) => share.leave(session)))
  }

  states(): Record<string, ServerState> {
    return Object.fromEntries([...this.#known].map(([name, { share }]) => [name, share.state]))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ share }) => share.close()))
  }

  #create(item: CatalogItem): Share {
    const { settings, metrics, onListed } = this.#options
    return new Share({
      name: item.name,
      entry: item.entry,
      settings,
      metrics,
      log: this.#options.log.child({ server: item.name }),
      onListed: (listing) => onListed(item, [...listing.tools.values()]),
    })
  }
}
