// The connections to each provider: to its own host alone, at addresses that are judged when they are dialled.
import { limits, type ModelProxyBoot } from '@gatehouse/contracts'
import { createAddressPolicy, createConnect, dialDirectly } from '@gatehouse/outbound'
import { Agent } from 'undici'
import type { Provider } from './provider.ts'

export interface AgentOptions extends Pick<ModelProxyBoot, 'ownAddress' | 'outbound'> {
  /** Milliseconds; default that of the limits. */
  readonly idleTime: number
}

const createAgent = ({ origin }: Provider, { ownAddress, outbound: settings, idleTime }: AgentOptions): Agent => {
  const policy = createAddressPolicy({ url: new URL(origin), ownAddress })
  return new Agent({
    connect: createConnect({ settings, policy, reach: 'any', dial: dialDirectly }),
    // Sessions bound what is open; a bound here would make one stream wait for another.
    connections: null,
    pipelining: 1,
    headersTimeout: idleTime,
    bodyTimeout: idleTime,
    maxHeaderSize: limits.requestHeaders * 2,
  })
}

export class Agents {
  readonly #options: AgentOptions
  readonly #agents = new Map<string, Agent>()

  constructor(options: AgentOptions) {
    this.#options = options
  }

  of(provider: Provider): Agent {
    const agent = this.#agents.get(provider.name) ?? createAgent(provider, this.#options)
    this.#agents.set(provider.name, agent)
    return agent
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()))
  }
}
