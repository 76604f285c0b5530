// One caller's door into a service: listens, lets in who proves itself, answers, publishes.
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Edge, limits } from '@gatehouse/contracts'
import { listenUnix, type Logger, privateDirectory, silentLogger, waitFor } from '@gatehouse/kernel'
import { type AnyHandler, answerCalls } from './answer.ts'
import type { EdgeServer, Handlers } from './contract.ts'
import { greetAsServer } from './hello.ts'
import { createPeer, type Peer } from './peer.ts'
import type { RunningCall } from './running.ts'
import { openWire, type Wire } from './wire.ts'

export interface ServeOptions<E extends Edge> {
  readonly path: string
  readonly secret: string
  readonly handlers: Handlers<E>
  readonly log?: Logger | undefined
}

interface Caller {
  readonly wire: Wire
  readonly peer: Peer
}

export const serveEdge = async <E extends Edge>(edge: E, options: ServeOptions<E>): Promise<EdgeServer<E>> => {
  const log = (options.log ?? silentLogger).child({ edge: edge.name })
  const wires = new Set<Wire>()
  /** Those that hear events: one for each caller, not its second connection. */
  const callers = new Set<Caller>()
  const running = new Set<RunningCall>()
  let closing = false
  const handler = (name: string): AnyHandler => options.handlers[name] as AnyHandler

  const accept = (socket: Socket): void => {
    const { functions, end, refuse } = answerCalls({ edge, handler, log, running, closing: () => closing })
    let caller: Caller | undefined
    const wire = openWire({
      socket,
      hello: greetAsServer(edge, options.secret),
      onOpen: (opened, lane) => {
        const peer = createPeer(opened, functions, refuse)
        if (lane === 'main') callers.add((caller = { wire: opened, peer }))
      },
      onClose: (reason) => {
        wires.delete(wire)
        if (caller !== undefined) callers.delete(caller)
        end()
        if (reason !== undefined) log.warn('connection closed', { reason })
      },
    })
    wires.add(wire)
  }
  const tell = async ({ wire, peer }: Caller, event: string, payload: unknown): Promise<void> => {
    if (wire.backlog() > limits.rpcBacklog) return wire.close('expected a caller that reads its events, got one that does not')
    await peer.notify(event, payload).catch((error: unknown) => log.error('event not sent', { event, error }))
  }
  const server = createServer({ noDelay: false }, accept)
  await privateDirectory(dirname(options.path))
  await listenUnix(server, options.path)
  return {
    publish: (event, payload) => {
      for (const caller of callers) void tell(caller, event, payload)
    },
    close: async () => {
      if (closing) return
      closing = true
      const closed = once(server, 'close')
      server.close()
      await waitFor(() => running.size === 0, { what: 'running calls to end', deadline: limits.drainTime, every: 5 }).catch(() => undefined)
      // The last answers are written in this turn of the loop.
      await new Promise((resolve) => setImmediate(resolve))
      for (const wire of wires) wire.finish()
      await Promise.race([closed, pause(limits.orphanTime, undefined, { ref: false })])
      for (const wire of wires) wire.close()
    },
  }
}
