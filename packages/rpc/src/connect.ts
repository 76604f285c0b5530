// A caller's end of an edge: calls as functions, events to listeners, a connection that comes back by itself.
import type { CallSpec, Edge } from '@gatehouse/contracts'
import { checkSocketPath, type Logger, silentLogger } from '@gatehouse/kernel'
import { createCall } from './call.ts'
import type { Calls, EdgeClient, EventListeners } from './contract.ts'
import { Link } from './link.ts'
import { listenTo } from './listen.ts'
import { type CallMetrics, createMeters } from './meter.ts'

export interface ConnectOptions<E extends Edge> {
  readonly path: string
  readonly secret: string
  readonly on?: EventListeners<E> | undefined
  /** Runs after each time the connection came up, so that the caller learns what it missed. */
  readonly onConnect?: (() => void | Promise<void>) | undefined
  readonly log?: Logger | undefined
  /** Where the calls of this edge and their durations are counted. */
  readonly metrics?: CallMetrics | undefined
}

/** The second connection hears no events. */
const deaf = { run: () => undefined }

export const connectEdge = <E extends Edge>(edge: E, options: ConnectOptions<E>): EdgeClient<E> => {
  checkSocketPath(options.path)
  const { path, secret, on = {} } = options
  const log = (options.log ?? silentLogger).child({ edge: edge.name })
  const resynchronise = async (): Promise<void> => {
    try {
      await options.onConnect?.()
    } catch (error) {
      log.error('resynchronisation failed', { error })
    }
  }
  const common = { edge, path, secret, log }
  const functions = listenTo({ edge, listeners: on, log })
  const main = new Link({ ...common, lane: 'main', functions, onUp: () => void resynchronise() })
  const large = new Link({ ...common, lane: 'large', functions: deaf })
  const link = (spec: CallSpec): Link => (spec.large === true ? large : main)
  const meter = createMeters(edge, options.metrics)
  const calls = Object.fromEntries(
    Object.entries(edge.calls).map(([name, spec]) => [name, createCall(name, spec, { edge, link, log, meter: meter(name) })]),
  )
  main.open()
  return {
    calls: calls as Calls<E>,
    connected: () => main.peer !== undefined,
    reconnectNow: () => main.reconnectNow(),
    close: () => {
      main.close()
      large.close()
    },
  }
}
