// MCP over streamable HTTP to a remote server: the SDK's transport on the unit's outbound connection.
import { endsWithin } from '@gatehouse/kernel'
import { checkServerUrl, limits, type OutboundSettings } from '@gatehouse/contracts'
import { createOutlet, type Reach, type Resolve } from '@gatehouse/outbound'
import { StreamableHTTPClientTransport, type StreamableHTTPClientTransportOptions, type Transport } from '@modelcontextprotocol/client'
import { type Authorization, createAuthorizedFetch } from '../../oauth/authorized-fetch.ts'
import { type AnswerRefused, findRefusal, UpstreamFailure } from '../base/failure.ts'
import { createMcpFetch } from './fetch.ts'

type Scheduler = NonNullable<StreamableHTTPClientTransportOptions['reconnectionScheduler']>

/** Milliseconds. A server may name any pause, also none. */
const minPause = 250

export interface Reconnection {
  readonly scheduler: Scheduler
  /** To be set before the transport is used. */
  watch(transport: Transport): void
}

/**
 * When an event stream that ended is requested again: not so soon that it is a load, not so late that a timer cannot hold the delay, and
 * not at all where it was cut for a limit, since that would happen again.
 */
export const createReconnection = (): Reconnection => {
  let refusal: AnswerRefused | undefined
  return {
    watch: (transport) => {
      const onerror = ({ message }: Error): void => {
        refusal = findRefusal(message)
        // What is asked of the scheduler for this stream is asked at once.
        queueMicrotask(() => (refusal = undefined))
      }
      Object.assign(transport, { onerror })
    },
    scheduler: (reconnect, delay) => {
      // The request that waits for the answer reads its text.
      if (refusal !== undefined) throw new Error(String(refusal))
      const timer = setTimeout(reconnect, Math.min(Math.max(delay, minPause), limits.upstreamRetryMost))
      timer.unref()
      return () => clearTimeout(timer)
    },
  }
}

export interface HttpOptions {
  readonly url: string
  /** Expanded. */
  readonly headers: Readonly<Record<string, string>>
  readonly ownAddress: string
  readonly outbound: OutboundSettings
  readonly reach: Reach
  readonly resolve?: Resolve | undefined
  /** Where the server is sent the token of a login. */
  readonly authorization?: Authorization | undefined
}

/** The catalog may have been written by hand, so the url is judged here too. */
export const createHttpTransport = ({ url, headers, ownAddress, outbound, reach, resolve, authorization }: HttpOptions): Transport => {
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
  const reconnection = createReconnection()
  const sent = new Headers({ 'accept-encoding': 'identity' })
  for (const [name, value] of Object.entries(headers)) sent.set(name, value)
  const fetch = authorization === undefined ? outlet.fetch : createAuthorizedFetch(outlet.fetch, authorization)
  const transport = new StreamableHTTPClientTransport(target, {
    fetch: createMcpFetch(fetch),
    requestInit: { headers: Object.fromEntries(sent) },
    reconnectionScheduler: reconnection.scheduler,
    reconnectionOptions: { initialReconnectionDelay: 1_000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 2, maxRetries: 2 },
  })
  reconnection.watch(transport)
  const close = transport.close.bind(transport)
  transport.close = async () => {
    // A server may keep the state of a session until it is told; one that does not answer is not waited for.
    const terminated = transport.terminateSession().catch(() => undefined)
    await endsWithin(terminated, limits.upstreamStopTime)
    await close()
    await outlet.close()
  }
  return transport
}
