// What a provider of models is, and the connections to each: to its own host only, at addresses that are judged when they are dialled.
import { limits, type ModelProvider, type ModelProxyBoot } from '@gatehouse/contracts'
import { createAddressPolicy, createConnect, dialDirectly } from '@gatehouse/outbound'
import { Agent } from 'undici'
import type { Format } from '../formats/format.ts'

export interface Path {
  /** Behind `/<provider>` on the socket; `{model}` stands for the id of a model. */
  readonly at: string
  /** Behind the origin of the provider. */
  readonly to: string
  readonly format: Format
  /** The queries that are passed on, with the mark; none otherwise. */
  readonly queries?: readonly string[]
  /** Where the path says whether the answer is a stream. */
  readonly streams?: boolean
}

type Headers = Readonly<Record<string, string>>

export interface Provider {
  readonly name: ModelProvider
  /** `https://host`, or that of a server of the operator's own. */
  readonly origin: string
  readonly paths: readonly Path[]
  /** Headers that prove who asks, and say which revision is spoken. */
  credentials(key: string, format: Format['name']): Headers
  /** Lists models and takes no tokens. */
  readonly models: string
}

export const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })

interface AgentOptions extends Pick<ModelProxyBoot, 'ownAddress' | 'outbound'> {
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
