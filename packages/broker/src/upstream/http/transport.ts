// MCP over streamable HTTP to a remote server, by the SDK's transport on our own way out.
import { setTimeout as pause } from 'node:timers/promises'
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { checkServerUrl, limits, type OutboundSettings } from '@gatehouse/contracts'
import { createOutlet, type Reach, type Resolve } from '@gatehouse/outbound'
import { UpstreamFailure } from '../failure.ts'
import { createMcpFetch } from './fetch.ts'
import { createStreams } from './streams.ts'

export interface HttpOptions {
  readonly url: string
  /** Expanded. */
  readonly headers: Readonly<Record<string, string>>
  readonly ownAddress: string
  readonly outbound: OutboundSettings
  readonly reach: Reach
  readonly resolve?: Resolve | undefined
}

/** The catalog may have been written by hand, so the url is judged here too. */
export const createHttpTransport = ({ url, headers, ownAddress, outbound, reach, resolve }: HttpOptions): Transport => {
  const refused = checkServerUrl(url)
  if (refused !== null) throw new UpstreamFailure('address-refused', `the url of the server is refused: ${refused}`)
  const target = new URL(url)
  const outlet = createOutlet({
    url: target,
    ownAddress,
    settings: outbound,
    reach,
    most: limits.upstreamMessage,
    streams: true,
    resolve,
  })
  const streams = createStreams()
  const sent = new Headers({ 'accept-encoding': 'identity' })
  for (const [name, value] of Object.entries(headers)) sent.set(name, value)
  const transport = new StreamableHTTPClientTransport(target, {
    fetch: createMcpFetch(outlet.fetch),
    requestInit: { headers: Object.fromEntries(sent) },
    reconnectionScheduler: streams.scheduler,
    reconnectionOptions: { initialReconnectionDelay: 1_000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 2, maxRetries: 2 },
  })
  streams.watch(transport)
  const close = transport.close.bind(transport)
  transport.close = async () => {
    // A server may keep what belongs to a session until it is told; one that does not answer is not waited for.
    const told = transport.terminateSession().catch(() => undefined)
    await Promise.race([told, pause(limits.upstreamStopTime, undefined, { ref: false })])
    await close()
    await outlet.close()
  }
  return transport
}
