// Listens on a unix socket with a restricted mode. Never removes a socket that another process serves.
import { once } from 'node:events'
import { chmod, chown, lstat, stat, unlink } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { dirname } from 'node:path'
import { exits, limits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { errorCode, orRefuse } from './permission.ts'

/** The kernel truncates paths over 107 bytes, so two sessions could share a socket. Throws `Refusal` 78 for a longer path. */
export const checkSocketPath = (path: string): void => {
  const bytes = Buffer.byteLength(path)
  if (bytes <= limits.socketPath) return
  throw new Refusal(exits.configuration, {
    detail: `expected a socket path of at most ${limits.socketPath} bytes, got ${bytes}: ${path}`,
    hint: 'choose a shorter runtime directory',
  })
}

/** The error code of a connection attempt; undefined when a process accepts it. */
const probe = (path: string): Promise<unknown> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(undefined))
    socket.once('error', (error) => resolve(errorCode(error)))
    socket.once('connect', () => socket.destroy())
  })

const inUse = (path: string, detail: string, hint: string): Refusal =>
  new Refusal(exits.stateInUse, { detail: `cannot listen on ${path}: ${detail}`, hint })

const clearStale = async (path: string): Promise<void> => {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return
  if (!stats.isSocket()) throw inUse(path, 'the file there is not a socket', `move ${path} away`)
  const directory = await stat(dirname(path))
  if (directory.uid !== process.geteuid?.() || (directory.mode & 0o022) !== 0) {
    throw inUse(path, 'it is in a directory that others may write', `run: chmod 0700 ${dirname(path)}`)
  }
  const answer = await probe(path)
  if (answer === 'ECONNREFUSED') await unlink(path).catch(() => undefined)
  else if (answer !== 'ENOENT') throw inUse(path, 'another process serves it', 'stop the other unit first')
}

export interface ListenOptions {
  /** Default 0600. */
  readonly mode?: number | undefined
  /** Group of the socket. */
  readonly gid?: number | undefined
}

/** The directory must exist. Rejects with `Refusal` when the path is too long, in use, or in a directory that others may write. */
export const listenUnix = async (server: Server, path: string, options: ListenOptions = {}): Promise<void> => {
  checkSocketPath(path)
  await clearStale(path)
  await orRefuse(dirname(path), async () => {
    const before = process.umask(0o077)
    try {
      // This call binds the path synchronously, under the narrow umask.
      server.listen(path)
    } finally {
      process.umask(before)
    }
    await once(server, 'listening')
  })
  if (options.gid !== undefined) await chown(path, process.geteuid?.() ?? -1, options.gid)
  await chmod(path, options.mode ?? 0o600)
}
