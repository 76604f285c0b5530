// Serves one session's `tools.sock`: bounded connections, headers, bodies and times.
import { createServer } from 'node:http'
import { type gatewayBroker, limits, type Result, surfaceDirectory, surfaceSocket } from '@gatehouse/contracts'
import { listenUnix } from '@gatehouse/kernel'
import { makeDirectory, removeDirectory } from './directory.ts'
import type { Serve } from './routes.ts'

export type OpenSession = Result<typeof gatewayBroker, 'sessions'>[number]

export interface SessionSocket {
  /** Ends its connections and removes its directory. */
  close(): Promise<void>
}

export interface ListenOptions {
  readonly runDir: string
  readonly serve: Serve
}

export const listen = async (
  { session, agentGroupID, identity }: OpenSession,
  { runDir, serve }: ListenOptions,
): Promise<SessionSocket> => {
  const directory = surfaceDirectory(runDir, 'tools', session)
  const caller = { id: session, agentGroupID, names: new Map() }
  const server = createServer(
    {
      maxHeaderSize: limits.requestHeaders,
      headersTimeout: limits.headersTime,
      requestTimeout: limits.requestTime,
      connectionsCheckingInterval: limits.headersTime,
      keepAliveTimeout: 0,
      requireHostHeader: false,
    },
    (request, response) => serve(caller, request, response),
  )
  server.maxConnections = limits.sessionConnections
  await makeDirectory(directory, identity)
  await listenUnix(
    server,
    surfaceSocket(runDir, 'tools', session),
    identity === undefined ? { mode: 0o600 } : { mode: 0o660, gid: identity.gid },
  )
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      await removeDirectory(directory)
    },
  }
}
