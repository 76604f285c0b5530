// Serves one session's own socket: bounded connections, headers, bodies and times.
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

/** Rejects where anything but the socket lies: a planted link would lead the host's own connection elsewhere. */
const refuseStrangers = async (socket: string): Promise<void> => {
  const directory = dirname(socket)
  const strangers = (await readdir(directory)).filter((name) => name !== basename(socket))
  if (strangers.length > 0) throw new Error(`expected nothing in ${directory} but ${basename(socket)}, got ${strangers.length} more`)
}

/**
 * For this socket. The sandbox's group may pass and connect; without an identity nobody but the service's own uid.
 * Split: this half cannot give anything away, so the runner, which can, lets the sandbox's group in before it launches.
 */
const makeSocketDirectory = async (socket: string, identity: HostIdentity | undefined, isSplit: boolean): Promise<void> => {
  const directory = dirname(socket)
  if (isSplit) {
    await privateDirectory(directory, 0o710)
    return refuseStrangers(socket)
  }
  await privateDirectory(directory, identity === undefined ? 0o700 : 0o710)
  if (identity !== undefined) await chown(directory, -1, identity.gid)
  await refuseStrangers(socket)
}

/** Removes sockets and then the directory; anything else that lies there stays, and the directory with it. */
export const removeSocketDirectory = async (directory: string): Promise<void> => {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    if ((await lstat(path)).isSocket()) await unlink(path)
  }
  await rmdir(directory).catch(() => undefined)
}

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
  await makeSocketDirectory(path, identity, isSplit)
  // Below a directory that the runner has given to the sandbox's group, the socket is of that group from the start.
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
