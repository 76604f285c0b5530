// Reports to the gateway what each server declares, after every listing. Reports that fail are sent again at the next connection.
import type { gatewayBroker, ToolDefinition } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { CatalogItem } from './servers.ts'

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
      this.#log.warn('the gateway could not be told what a server declares', { server: item.name, error })
    }
  }

  async resend(): Promise<void> {
    await Promise.all([...this.#pending.values()].map(({ item, tools }) => this.report(item, tools)))
  }
}
