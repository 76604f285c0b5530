// Tells the gateway what each server declares, after every listing. What could not be told is told when it is there again.
import type { gatewayBroker, ToolDefinition } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { CatalogItem } from './servers.ts'

interface Observed {
  readonly item: CatalogItem
  readonly tools: readonly ToolDefinition[]
}

export class Observations {
  readonly #gateway: Pick<Calls<typeof gatewayBroker>, 'observed'>
  readonly #log: Logger
  readonly #untold = new Map<string, Observed>()

  constructor(gateway: Pick<Calls<typeof gatewayBroker>, 'observed'>, log: Logger) {
    this.#gateway = gateway
    this.#log = log
  }

  async tell(item: CatalogItem, tools: readonly ToolDefinition[]): Promise<void> {
    const observed = { item, tools }
    this.#untold.set(item.name, observed)
    try {
      await this.#gateway.observed({ server: item.name, entryDigest: item.digest, tools: [...tools] })
      if (this.#untold.get(item.name) === observed) this.#untold.delete(item.name)
    } catch (error) {
      this.#log.warn('the gateway could not be told what a server declares', { server: item.name, error })
    }
  }

  async tellAgain(): Promise<void> {
    await Promise.all([...this.#untold.values()].map(({ item, tools }) => this.tell(item, tools)))
  }
}
