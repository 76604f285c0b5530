// The TCP listener. It limits header sizes and times, so that slow or broken clients use few resources.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { exits, limits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { type Connections, trackConnections } from './connections.ts'
import { answerParseErrors, createListener, type Fetch, refuseConnect } from './listener.ts'

export interface Address {
  readonly host: string
  /** 0 selects any free port. */
  readonly port: number
  /** Milliseconds for a client to send its headers. */
  readonly headersTime?: number
  /** Milliseconds for a client to send its whole request. */
  readonly requestTime?: number
  /** Milliseconds after which a client must read its response at `limits.responseRate`. */
  readonly responseTime?: number
  /** Milliseconds between checks for slow clients. */
  readonly checkEvery?: number
}

export interface Listening {
  readonly port: number
  /** Call it immediately, because requests can already arrive. */
  serve(fetch: Fetch): void
  /** Stops accepting connections, waits for running requests, then closes the remaining connections. */
  close(): Promise<void>
}

const refusalOf = (error: NodeJS.ErrnoException, { host, port }: Address): unknown => {
  const cause = error
  const hint = 'choose another address with --addr or SERVICE_API_ADDR'
  if (error.code === 'EADDRINUSE') {
    return new Refusal(exits.addressInUse, {
      detail: `${host}:${port} is already in use`,
      hint,
      cause,
    })
  }
  if (error.code === 'EACCES') {
    return new Refusal(exits.noPermission, { detail: `no permission to listen on ${host}:${port}`, hint, cause })
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new Refusal(exits.configuration, { detail: `${host} is not an address of this machine`, hint, cause })
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
    // The response of Node would not be a problem document. The host guard refuses the request instead.
    requireHostHeader: false,
  })

/** node:http limits the time of a request, but not of its response. */
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
