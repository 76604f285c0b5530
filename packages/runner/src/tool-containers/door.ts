// A socket for one container: the broker connects twice, and both connections are handed on unread.
import { createServer, type Socket } from 'node:net'
import { limits } from '@gatehouse/contracts'
import { listenUnix } from '@gatehouse/kernel'

export interface Streams {
  readonly messages: Socket
  readonly errors: Socket
}

export interface Door {
  readonly path: string
  /** The first two connections; undefined when they did not come in time, or the door was closed. */
  readonly streams: Promise<Streams | undefined>
  close(): void
}

/** Nobody can connect any more once it is decided. `mode`: of the socket. */
export const openDoor = async (path: string, mode = 0o600): Promise<Door> => {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true })
  const decided = Promise.withResolvers<Streams | undefined>()
  const came: Socket[] = []
  let isOver = false
  const end = (streams: Streams | undefined): void => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    server.close()
    if (streams === undefined) for (const socket of came) socket.destroy()
    decided.resolve(streams)
  }
  const timer = setTimeout(() => end(undefined), limits.toolConnectTime)
  server.on('connection', (socket) => {
    if (isOver) return void socket.destroy()
    came.push(socket)
    const [messages, errors] = came
    if (messages !== undefined && errors !== undefined) end({ messages, errors })
  })
  server.on('error', () => end(undefined))
  await listenUnix(server, path, { mode })
  return { path, streams: decided.promise, close: () => end(undefined) }
}
