// Serves the socket of one session with limits on connections, headers, bodies and times.
import { chown, lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { limits, type SessionID, surfaceDirectory, type SurfaceName, surfaceSocket } from '@gatehouse/contracts'
import { privateDirectory } from '../files/directory.ts'
import { listenUnix } from '../files/listen-unix.ts'

/** The directory of a socket contains anything else: a planted link could redirect the host's own connection. */
export class UnexpectedFiles extends Error {
  readonly directory: string
  readonly count: number

  constructor(socket: string, count: number) {
    super(`${dirname(socket)} contains ${count} unexpected entries besides ${basename(socket)}`)
    this.directory = dirname(socket)
    this.count = count
  }
}

const assertOnlySocket = async (socket: string): Promise<void> => {
  const others = (await readdir(dirname(socket))).filter((name) => name !== basename(socket))
  if (others.length > 0) throw new UnexpectedFiles(socket, others.length)
}

/**
 * Creates the directory of a socket. The sandbox's group may enter and connect; without a group only the service's own uid.
 * In a split unit this half cannot change owners, so the runner grants the sandbox's group access before it launches.
 */
const makeSocketDirectory = async (socket: string, gid: number | undefined, isSplit: boolean): Promise<void> => {
  const directory = dirname(socket)
  if (isSplit) {
    await privateDirectory(directory, 0o710)
    return assertOnlySocket(socket)
  }
  await privateDirectory(directory, gid === undefined ? 0o700 : 0o710)
  if (gid !== undefined) await chown(directory, -1, gid)
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

export interface SessionSocket {
  /** Closes all connections. A kept directory serves the next start of the service: a sandbox of the other half has it mounted. */
  close(directory: 'removed' | 'kept'): Promise<void>
}

export interface SocketOptions {
  readonly surface: SurfaceName
  readonly runDir: string
  readonly session: SessionID
  /** The group of the sandbox; undefined when it runs as the unit itself. */
  readonly gid: number | undefined
  /** True in a split unit, whose other half launches the sandboxes. */
  readonly isSplit?: boolean | undefined
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void
}

/** Rejects with `UnexpectedFiles` when the directory of the socket contains anything else. */
export const openSessionSocket = async (options: SocketOptions): Promise<SessionSocket> => {
  const { surface, runDir, session, gid, isSplit = false, serve } = options
  const path = surfaceSocket(runDir, surface, session)
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
    serve,
  )
  server.maxConnections = limits.sessionConnections
  await makeSocketDirectory(path, gid, isSplit)
  // The runner gave the directory to the sandbox's group, so the socket has that group from the start.
  if (isSplit) await listenUnix(server, path, { mode: 0o660 })
  else await listenUnix(server, path, gid === undefined ? { mode: 0o600 } : { mode: 0o660, gid })
  return {
    close: async (directory) => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      if (directory === 'removed') await removeSocketDirectory(surfaceDirectory(runDir, surface, session))
    },
  }
}
