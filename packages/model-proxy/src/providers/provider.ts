// The interface of a model provider, and its connections: only to its own host, at addresses that are checked when they are dialled.
import { limits, type ModelProvider, type ModelProxyBoot } from '@gatehouse/contracts'
import { createAddressPolicy, createConnect, dialDirectly } from '@gatehouse/outbound'
import { Agent } from 'undici'
import type { Format } from '../formats/format.ts'

export interface Path {
  /** Path after `/<provider>` on the socket; `{model}` stands for a model id. */
  readonly at: string
  /** Path after the origin of the provider. */
  readonly to: string
  readonly format: Format
  /** Allowed query strings, including the question mark; none by default. */
  readonly queries?: readonly string[]
  /** Whether the answer is a stream, where the path determines it. */
  readonly streams?: boolean
}

type Headers = Readonly<Record<string, string>>

export interface Provider {
  readonly name: ModelProvider
  /** `https://host`, or the origin of the operator's own server. */
  readonly origin: string
  readonly paths: readonly Path[]
  /** Headers for authentication and the protocol version. */
  credentials(key: string, format: Format['name']): Headers
  /** Path that lists models and uses no tokens. */
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
    // Sessions limit open requests; a limit here would make streams wait for each other.
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
