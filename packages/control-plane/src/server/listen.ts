// The TCP listener: bounded headers and times, so that a slow or broken client costs little.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { exits, limits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { type Connections, trackConnections } from './connections.ts'
import { answerParseErrors, createListener, type Fetch, refuseConnect } from './listener.ts'

export interface Address {
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  /** Milliseconds that a client may take for its headers. */
  readonly headersTime?: number
  /** Milliseconds that a client may take for its whole request. */
  readonly requestTime?: number
  /** Milliseconds after which a client must take its answer at `limits.responseRate`. */
  readonly responseTime?: number
  /** Milliseconds between two looks for clients that took longer. */
  readonly checkEvery?: number
}

export interface Listening {
  readonly port: number
  /** Call it at once: requests come from now on. */
  serve(fetch: Fetch): void
  /** Stops accepting, lets running requests end, then closes what is left. */
  close(): Promise<void>
}

const refusalOf = (error: NodeJS.ErrnoException, { host, port }: Address): unknown => {
  const cause = error
  const hint = 'choose another address with --addr or SERVICE_API_ADDR'
  if (error.code === 'EADDRINUSE') {
    return new Refusal(exits.addressInUse, {
      detail: `expected ${host}:${port} to be free, but another program listens there`,
      hint,
      cause,
    })
  }
  if (error.code === 'EACCES') {
    return new Refusal(exits.noPermission, { detail: `expected to be allowed to listen on ${host}:${port}, but was not`, hint, cause })
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new Refusal(exits.configuration, { detail: `expected ${host} to be an address of this machine, but it is not`, hint, cause })
  }
  return error
}

const closeServer = async (server: Server, connections: Connections): Promise<void> => {
  const rest = setTimeout(() => server.closeAllConnections(), limits.drainTime / 2)
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  connections.endQuiet()
  await closed
  clearTimeout(rest)
}

const createBounded = (address: Address): Server =>
  createServer({
    headersTimeout: address.headersTime ?? limits.headersTime,
    requestTimeout: address.requestTime ?? limits.requestTime,
    connectionsCheckingInterval: address.checkEvery ?? 1_000,
    maxHeaderSize: limits.requestHeaders,
    // Its answer would not be a problem document; the host guard refuses instead.
    requireHostHeader: false,
  })

/** node:http bounds how long a request takes, and not how long its answer does. */
const watchPace = (server: Server, connections: Connections, { responseTime = limits.responseTime, checkEvery = 1_000 }: Address): void => {
  const pace = { time: responseTime, rate: limits.responseRate }
  const look = setInterval(() => connections.endSlow(pace), checkEvery)
  look.unref()
  server.once('close', () => clearInterval(look))
}

export const listen = async (address: Address): Promise<Listening> => {
  const server = createBounded(address)
  const connections = trackConnections(server)
  watchPace(server, connections, address)
  answerParseErrors(server, connections)
  refuseConnect(server)
  try {
    server.listen(address.port, address.host)
    await once(server, 'listening')
  } catch (error) {
    throw error instanceof Error ? refusalOf(error, address) : error
  }
  const bound = server.address()
  return {
    port: bound === null || typeof bound === 'string' ? address.port : bound.port,
    serve: (fetch) => void server.on('request', createListener(fetch)),
    close: () => closeServer(server, connections),
  }
}
