// Serves one session's own socket: bounded connections, headers, bodies and times.
import { createServer } from 'node:http'
import {
  type AgentGroupID,
  type HostIdentity,
  limits,
  type SessionID,
  surfaceDirectory,
  type SurfaceName,
  surfaceSocket,
} from '@gatehouse/contracts'
import { listenUnix } from '../files/listen-unix.ts'
import { makeDirectory, removeDirectory } from './directory.ts'
import type { Serve } from './serve.ts'

/** A session that is open, as the gateway tells of it. */
export interface OpenSession {
  readonly session: SessionID
  readonly agentGroupID: AgentGroupID
  /** Whom the sandbox runs as on the host; without it, as the unit itself. */
  readonly identity?: HostIdentity | undefined
}

export interface SessionSocket {
  /** Ends its connections and removes its directory. */
  close(): Promise<void>
}

/** `Caller` is what a service keeps of the session that a socket belongs to. */
export interface SurfaceOptions<Caller> {
  readonly surface: SurfaceName
  readonly runDir: string
  readonly callerOf: (session: OpenSession) => Caller
  readonly serve: Serve<Caller>
}

export const listen = async <Caller>(session: OpenSession, options: SurfaceOptions<Caller>): Promise<SessionSocket> => {
  const { surface, runDir, callerOf, serve } = options
  const path = surfaceSocket(runDir, surface, session.session)
  const caller = callerOf(session)
  const server = createServer(
    {
      maxHeaderSize: limits.requestHeaders,
      headersTimeout: limits.headersTime,
      // A request that waits for room is not read, so that its time begins when its body is asked for.
      requestTimeout: 0,
      connectionsCheckingInterval: limits.headersTime,
      keepAliveTimeout: 0,
      requireHostHeader: false,
    },
    (request, response) => serve(caller, request, response),
  )
  server.maxConnections = limits.sessionConnections
  await makeDirectory(path, session.identity)
  await listenUnix(server, path, session.identity === undefined ? { mode: 0o600 } : { mode: 0o660, gid: session.identity.gid })
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      await removeDirectory(surfaceDirectory(runDir, surface, session.session))
    },
  }
}
