// Tracks open connections, which of them wait for an answer, and which read theirs too slowly.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Answers that go on as long as their reader likes, and so are not measured by the clock of the others. */
const lasting = new WeakSet<object>()

/** `bindings` is what the listener gave with the request; nothing in a test without a socket. */
export const mayLast = (bindings: { readonly outgoing?: ServerResponse | Http2ServerResponse } | undefined): void => {
  if (bindings?.outgoing !== undefined) lasting.add(bindings.outgoing)
}

const lasts = (answer: ServerResponse): boolean => lasting.has(answer)

export interface Connections {
  /** The answer that is being made on this connection. */
  answerOn(socket: Duplex): ServerResponse | undefined
  /** Ends those that ask nothing now, and each other one after its answer. */
  endQuiet(): void
  /** Ends those whose reader has had its time and has not taken its answer at a fair pace. */
  endSlow(pace: Pace): void
}

export interface Pace {
  /** Milliseconds from the first byte of an answer until it is measured. */
  readonly time: number
  /** Bytes a second that a reader must take from then on. */
  readonly rate: number
}

interface Begun {
  readonly at: number
  /** Bytes that the socket had taken before. */
  readonly taken: number
}

const takenBy = (socket: Socket): number => socket.bytesWritten - socket.writableLength

/** Remembers of each answer when its first byte was there to be taken. */
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
  /** Several on one connection, where a client asks before it was answered. */
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
