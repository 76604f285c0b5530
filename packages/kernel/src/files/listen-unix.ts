// Listens on a unix socket that only those may open who are meant to. Never removes a socket that somebody serves.
import { once } from 'node:events'
import { chmod, chown, lstat, stat, unlink } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { dirname } from 'node:path'
import { exits, limits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { codeOf, orRefuse } from './permission.ts'

/** The kernel's limit is 107 bytes; a longer path would be cut, and two sessions would share a socket. */
export const checkSocketPath = (path: string): void => {
  const bytes = Buffer.byteLength(path)
  if (bytes <= limits.socketPath) return
  throw new Refusal(exits.configuration, {
    detail: `expected a socket path of at most ${limits.socketPath} bytes, got ${bytes}: ${path}`,
    hint: 'choose a shorter runtime directory',
  })
}

/** The errno of a connection attempt; undefined when somebody answers. */
const knock = (path: string): Promise<unknown> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(undefined))
    socket.once('error', (error) => resolve(codeOf(error)))
    socket.once('connect', () => socket.destroy())
  })

const inUse = (path: string, detail: string, hint: string): Refusal =>
  new Refusal(exits.stateInUse, { detail: `expected to serve ${path}, ${detail}`, hint })

const clearStale = async (path: string): Promise<void> => {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket()) throw inUse(path, 'got a file there that is no socket', `move ${path} away`)
  const directory = await stat(dirname(path))
  if (directory.uid !== process.geteuid?.() || (directory.mode & 0o022) !== 0) {
    throw inUse(path, 'got a socket in a directory that others may write', `run: chmod 0700 ${dirname(path)}`)
  }
  const answer = await knock(path)
  if (answer === 'ECONNREFUSED') await unlink(path).catch(() => undefined)
  else if (answer !== 'ENOENT') throw inUse(path, 'got another process that serves it', 'stop the other unit first')
}

export interface ListenOptions {
  /** Default 0600. */
  readonly mode?: number | undefined
  /** Group of the socket. */
  readonly gid?: number | undefined
}

/** The directory must exist. `Refusal` when the path is too long, served by somebody, or not to be trusted. */
export const listenUnix = async (server: Server, path: string, options: ListenOptions = {}): Promise<void> => {
  checkSocketPath(path)
  await clearStale(path)
  await orRefuse(dirname(path), async () => {
    const before = process.umask(0o077)
    try {
      // The path is bound within this call, under the narrow umask.
      server.listen(path)
    } finally {
      process.umask(before)
    }
    await once(server, 'listening')
  })
  if (options.gid !== undefined) await chown(path, process.geteuid?.() ?? -1, options.gid)
  await chmod(path, options.mode ?? 0o600)
}
