// Tracks open connections, their pending responses, and how fast clients read them.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Responses without a time limit, such as event streams. */
const lasting = new WeakSet<object>()

/** `bindings` comes from the listener. It is empty in tests without a socket. */
export const mayLast = (bindings: { readonly outgoing?: ServerResponse | Http2ServerResponse } | undefined): void => {
  if (bindings?.outgoing !== undefined) lasting.add(bindings.outgoing)
}

const lasts = (answer: ServerResponse): boolean => lasting.has(answer)

export interface Connections {
  /** The pending response of this connection. */
  answerOn(socket: Duplex): ServerResponse | undefined
  /** Closes idle connections now, and the others after their response. */
  endQuiet(): void
  /** Closes connections whose client reads its response too slowly. */
  endSlow(pace: Pace): void
}

export interface Pace {
  /** Milliseconds after the first byte of a response until its rate is measured. */
  readonly time: number
  /** Minimum bytes per second that a client must read afterwards. */
  readonly rate: number
}

interface Begun {
  readonly at: number
  /** Bytes written to the socket before this response. */
  readonly taken: number
}

const takenBy = (socket: Socket): number => socket.bytesWritten - socket.writableLength

/** Records when the first byte of each response was available. */
const paceKeeper = () => {
  const begun = new WeakMap<ServerResponse, Begun>()
  return (socket: Socket, answer: ServerResponse, { time, rate }: Pace): boolean => {
    const now = performance.now()
    const first = begun.get(answer)
    if (first === undefined) {
      begun.set(answer, { at: now, taken: takenBy(socket) })
      return false
    }
    const elapsed = now - first.at
    return elapsed > time && takenBy(socket) - first.taken < (elapsed / 1000) * rate
  }
}

export const trackConnections = (server: Server): Connections => {
  const open = new Set<Duplex>()
  const answers = new Map<Duplex, ServerResponse>()
  /** Several if the client pipelines requests. */
  const running = new Set<ServerResponse>()
  const isSlow = paceKeeper()
  let ending = false

  server.on('connection', (socket: Duplex) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    answers.set(socket, response)
    running.add(response)
    response.once('close', () => {
      running.delete(response)
      // A later request may already wait on the same connection.
      if (answers.get(socket) !== response) return
      answers.delete(socket)
      if (ending) socket.end()
    })
  })
  return {
    answerOn: (socket) => answers.get(socket),
    endQuiet: () => {
      ending = true
      for (const socket of open) if (!answers.has(socket)) socket.destroy()
    },
    endSlow: (pace) => {
      for (const answer of running) {
        const { socket } = answer
        if (socket !== null && answer.headersSent && !lasts(answer) && isSlow(socket, answer, pace)) socket.destroy()
      }
    },
  }
}
