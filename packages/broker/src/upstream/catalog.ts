// The catalog as the gateway holds it, brought to the servers here; and what the gateway or an operator asks of one server.
import { type gatewayBroker, limits, type ProbeResult, type ServerLogs, type ServerName, ServiceError } from '@gatehouse/contracts'
import { inTurn, type Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { ConnectSettings } from './make-transport.ts'
import type { Observations } from './observations.ts'
import type { Origins } from './origins.ts'
import { probe } from './probe.ts'
import type { Servers } from './servers.ts'
import { keepsFiles } from './stdio/alone.ts'
import type { LogQuery } from './stdio/output.ts'

export interface CatalogOptions {
  readonly gateway: Calls<typeof gatewayBroker>
  readonly servers: Servers
  readonly settings: ConnectSettings
  readonly observations: Observations
  readonly origins: Origins
  readonly log: Logger
}

export class Catalog {
  readonly #options: CatalogOptions
  readonly #next = inTurn()

  constructor(options: CatalogOptions) {
    this.#options = options
  }

  synchronize(): Promise<void> {
    return this.#next(async () => {
      const { gateway, servers, origins, settings } = this.#options
      const catalog = await gateway.catalog({})
      servers.synchronize(catalog)
      settings.output.keepOnly(new Set(catalog.map(({ name }) => name)))
      void origins.synchronize(catalog.map(({ entry }) => entry))
    })
  }

  /** Of the entry as it is now, so that a probe right after a change probes the change. */
  async probe(name: ServerName): Promise<ProbeResult> {
    await this.synchronize().catch((error: unknown) =>
      this.#options.log.warn('the catalog could not be read; the last one is used', { error }),
    )
    const item = this.#options.servers.item(name)
    if (item === undefined)
      throw new ServiceError('not-found', { detail: `expected the name of a tool server in the catalog, got ${name}` })
    const shared = keepsFiles(item.entry) ? this.#options.servers.find(name) : undefined
    const result = await probe(item, this.#options.settings, async (signal) => shared?.look(signal))
    void this.#options.observations.tell(item, result.tools)
    return result
  }

  /** What the server wrote to its stderr. */
  logs({ name, ...query }: { readonly name: ServerName } & LogQuery): ServerLogs {
    return this.#options.settings.output.read(name, query)
  }

  /** The gateway wants to know what the server declares now; the listing itself tells it. */
  async observe(name: ServerName): Promise<void> {
    const { servers, log } = this.#options
    const upstream = servers.find(name)
    // Where each session has its own, none of them is the one to ask.
    const look = upstream === undefined ? this.probe(name) : upstream.relist(AbortSignal.timeout(limits.probeTime))
    await look.catch(() => log.warn('a server that the gateway asks about cannot be listed', { server: name }))
  }
}
