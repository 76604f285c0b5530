// Server side of an edge: listens, authenticates the caller, answers calls and publishes events.
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { type Edge, limits } from '@gatehouse/contracts'
import { endsWithin, listenUnix, type Logger, privateDirectory, silentLogger, waitFor } from '@gatehouse/kernel'
import { Answers, type Callable, type RunningCall } from './answer.ts'
import type { EdgeServer, Handlers } from './contract.ts'
import { greetAsServer } from './hello.ts'
import { createPeer, type Peer } from './peer.ts'
import { Wire } from './wire.ts'

export interface ServeOptions<E extends Edge> {
  readonly path: string
  readonly secret: string
  readonly handlers: Handlers<E>
  /** The group of this process may connect too: its caller has another uid. */
  readonly shared?: boolean
  /** Told before anybody can connect, so that no caller misses an event. */
  readonly opening?: ((server: EdgeServer<E>) => void) | undefined
  /** Told each time a caller has come, back or for the first time: from now on it hears events. */
  readonly onCaller?: (() => void) | undefined
  readonly log?: Logger | undefined
}

/** What is true of all connections of one door. */
interface Door {
  readonly edge: Edge
  readonly secret: string
  readonly callables: ReadonlyMap<string, Callable>
  readonly log: Logger
  readonly running: Set<RunningCall>
  readonly wires: Set<Wire>
  /** Those that hear events: one connection of each caller, never its second. */
  readonly callers: Map<Wire, Peer>
  readonly onCaller: () => void
  closing: boolean
}

const accept = (door: Door, socket: Socket): void => {
  const answers = new Answers({ ...door, closing: () => door.closing })
  const wire = new Wire({
    socket,
    hello: greetAsServer(door.edge, door.secret),
    onOpen: (opened, lane) => {
      const peer = createPeer(opened, answers)
      if (lane !== 'main') return
      door.callers.set(opened, peer)
      door.onCaller()
    },
    onClose: (reason) => {
      door.wires.delete(wire)
      door.callers.delete(wire)
      answers.end()
      if (reason !== undefined) door.log.warn('connection closed', { reason })
    },
  })
  door.wires.add(wire)
}

const publish = (door: Door, event: string, payload: unknown): void => {
  for (const [wire, peer] of door.callers) {
    if (wire.backlog > limits.rpcBacklog) wire.close('expected a caller that reads its events, got one that does not')
    else peer.notify(event, [payload]).catch((error: unknown) => door.log.error('event not sent', { event, error }))
  }
}

const close = async (door: Door, server: Server): Promise<void> => {
  if (door.closing) return
  door.closing = true
  const closed = once(server, 'close')
  server.close()
  await waitFor(() => door.running.size === 0, { what: 'running calls to end', deadline: limits.drainTime, every: 5 }).catch(
    () => undefined,
  )
  // The last answers are written in this turn of the loop.
  await new Promise((resolve) => setImmediate(resolve))
  for (const wire of door.wires) wire.finish()
  await endsWithin(closed, limits.orphanTime)
  for (const wire of door.wires) wire.close()
}

const callablesOf = <E extends Edge>(edge: E, handlers: Handlers<E>): Map<string, Callable> =>
  new Map(Object.entries(edge.calls).map(([name, { params }]) => [name, { name, params, handler: handlers[name] as Callable['handler'] }]))

/** The directory of the socket is made if absent. */
export const serveEdge = async <E extends Edge>(edge: E, options: ServeOptions<E>): Promise<EdgeServer<E>> => {
  const door: Door = {
    edge,
    secret: options.secret,
    callables: callablesOf(edge, options.handlers),
    log: (options.log ?? silentLogger).child({ edge: edge.name }),
    running: new Set(),
    wires: new Set(),
    callers: new Map(),
    onCaller: options.onCaller ?? (() => undefined),
    closing: false,
  }
  const server = createServer((socket) => accept(door, socket))
  const served: EdgeServer<E> = { publish: (event, payload) => publish(door, event, payload), close: () => close(door, server) }
  options.opening?.(served)
  await privateDirectory(dirname(options.path), options.shared === true ? 0o750 : 0o700)
  await listenUnix(server, options.path, options.shared === true ? { mode: 0o660 } : {})
  return served
}
