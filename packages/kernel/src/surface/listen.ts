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
  /** Ends its connections. Kept, its directory waits for the service's next start: a sandbox of the other half has it mounted. */
  close(directory: 'removed' | 'kept'): Promise<void>
}

/** `Caller` is what a service keeps of the session that a socket belongs to. */
export interface SurfaceOptions<Caller> {
  readonly surface: SurfaceName
  readonly runDir: string
  /** The sandboxes are launched by the other half of a split unit. */
  readonly isSplit?: boolean
  readonly callerOf: (session: OpenSession) => Caller
  readonly serve: Serve<Caller>
}

export const listen = async <Caller>(session: OpenSession, options: SurfaceOptions<Caller>): Promise<SessionSocket> => {
  const { surface, runDir, isSplit = false, callerOf, serve } = options
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
  const { identity } = session
  await makeDirectory(path, identity, isSplit)
  // Below a directory that the runner has given to the sandbox's group, the socket is of that group from the start.
  if (isSplit) await listenUnix(server, path, { mode: 0o660 })
  else await listenUnix(server, path, identity === undefined ? { mode: 0o600 } : { mode: 0o660, gid: identity.gid })
  return {
    close: async (directory) => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      if (directory === 'removed') await removeDirectory(surfaceDirectory(runDir, surface, session.session))
    },
  }
}
