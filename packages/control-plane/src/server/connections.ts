// Which connections are open, and which of them wait for an answer.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export interface Connections {
  /** The answer that is being made on this connection. */
  answerOn(socket: Duplex): ServerResponse | undefined
  /** Ends those that ask nothing now, and each other one after its answer. */
  endQuiet(): void
}

export const trackConnections = (server: Server): Connections => {
  const open = new Set<Duplex>()
  const answers = new Map<Duplex, ServerResponse>()
  let ending = false

  server.on('connection', (socket: Duplex) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    answers.set(socket, response)
    response.once('close', () => {
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
  }
}
