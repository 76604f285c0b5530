// Serves the socket of one session with limits on connections, headers, bodies and times.
import { chown, lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, dirname, join } from 'node:path'
import {
  type AgentGroupID,
  type HostIdentity,
  limits,
  type SessionID,
  surfaceDirectory,
  type SurfaceName,
  surfaceSocket,
} from '@gatehouse/contracts'
import { privateDirectory } from '../files/directory.ts'
import { listenUnix } from '../files/listen-unix.ts'
import type { Serve } from './serve.ts'

/** Rejects when the directory contains anything else: a planted link could redirect the host's own connection. */
const assertOnlySocket = async (socket: string): Promise<void> => {
  const directory = dirname(socket)
  const others = (await readdir(directory)).filter((name) => name !== basename(socket))
  if (others.length > 0) throw new Error(`${directory} contains ${others.length} unexpected entries besides ${basename(socket)}`)
}

/**
 * Creates the directory of a socket. The sandbox's group may enter and connect; without an identity only the service's own uid.
 * In a split unit this half cannot change owners, so the runner grants the sandbox's group access before it launches.
 */
const makeSocketDirectory = async (socket: string, identity: HostIdentity | undefined, isSplit: boolean): Promise<void> => {
  const directory = dirname(socket)
  if (isSplit) {
    await privateDirectory(directory, 0o710)
    return assertOnlySocket(socket)
  }
  await privateDirectory(directory, identity === undefined ? 0o700 : 0o710)
  if (identity !== undefined) await chown(directory, -1, identity.gid)
  await assertOnlySocket(socket)
}

/** Removes the sockets and then the directory. Other entries stay, and the directory with them. */
export const removeSocketDirectory = async (directory: string): Promise<void> => {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    if ((await lstat(path)).isSocket()) await unlink(path)
  }
  await rmdir(directory).catch(() => undefined)
}

/** An open session, as the gateway reports it. */
export interface OpenSession {
  readonly session: SessionID
  readonly agentGroupID: AgentGroupID
  /** The host identity of the sandbox; without one it runs as the unit itself. */
  readonly identity?: HostIdentity | undefined
}

export interface SessionSocket {
  /** Closes all connections. A kept directory serves the next start of the service: a sandbox of the other half has it mounted. */
  close(directory: 'removed' | 'kept'): Promise<void>
}

/** `Caller` is the service's own representation of the session that a socket belongs to. */
export interface SurfaceOptions<Caller> {
  readonly surface: SurfaceName
  readonly runDir: string
  /** True in a split unit, whose other half launches the sandboxes. */
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
      // A queued request is not read, so its time limit begins when its body is read.
      requestTimeout: 0,
      connectionsCheckingInterval: limits.headersTime,
      keepAliveTimeout: 0,
      requireHostHeader: false,
    },
    (request, response) => serve(caller, request, response),
  )
  server.maxConnections = limits.sessionConnections
  const { identity } = session
  await makeSocketDirectory(path, identity, isSplit)
  // The runner gave the directory to the sandbox's group, so the socket has that group from the start.
  if (isSplit) await listenUnix(server, path, { mode: 0o660 })
  else await listenUnix(server, path, identity === undefined ? { mode: 0o600 } : { mode: 0o660, gid: identity.gid })
  return {
    close: async (directory) => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      if (directory === 'removed') await removeSocketDirectory(surfaceDirectory(runDir, surface, session.session))
    },
  }
}
