// Serves a session's socket in a directory that only the host can write, while one sandbox runs.
import { once } from 'node:events'
import { chown, readdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { basename } from 'node:path'
import { limits, surfaceDirectory, surfaceSocket } from '@gatehouse/contracts'
import { listenUnix, privateDirectory } from '@gatehouse/kernel'
import { getRequestListener } from '@hono/node-server'
import { LaunchRefused } from '../errors.ts'
import type { Caller, SessionSocket } from '../state/context.ts'
import { createApp } from './app.ts'

/** A planted link would lead the host's own connection elsewhere. */
const refuseStrangers = async (directory: string, socket: string): Promise<void> => {
  const strangers = (await readdir(directory)).filter((name) => name !== basename(socket))
  if (strangers.length > 0)
    throw new LaunchRefused(`expected nothing in ${directory} but the host's own socket, got ${strangers.length} more`)
}

const serve = (caller: Caller): Server => {
  const options = {
    headersTimeout: limits.headersTime,
    requestTimeout: limits.requestTime,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: limits.requestHeaders,
  }
  const answer = getRequestListener(createApp(caller).fetch)
  const server = createServer(options, (incoming, outgoing) => void answer(incoming, outgoing))
  server.maxConnections = limits.sessionConnections
  return server
}

/** `gid`: the group that the sandbox really runs as; without it the sandbox runs as the unit itself. */
export const openSocket = async (caller: Caller, gid: number | undefined): Promise<SessionSocket> => {
  const { context, session } = caller
  const directory = surfaceDirectory(context.runDir, 'session', session.id)
  const socket = surfaceSocket(context.runDir, 'session', session.id)
  await privateDirectory(directory, gid === undefined ? 0o700 : 0o710)
  if (gid !== undefined) await chown(directory, process.geteuid?.() ?? -1, gid)
  await refuseStrangers(directory, socket)
  const server = serve(caller)
  await listenUnix(server, socket, gid === undefined ? {} : { mode: 0o660, gid })
  return {
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
