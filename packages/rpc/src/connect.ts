// Caller side of an edge: calls as functions, events to listeners, automatic reconnects.
import type { CallSpec, Edge } from '@gatehouse/contracts'
import { checkSocketPath, type Logger, silentLogger } from '@gatehouse/kernel'
import * as v from 'valibot'
import { createCall } from './call.ts'
import type { Calls, EdgeClient, EventListeners } from './contract.ts'
import { Link } from './link.ts'
import { fieldIssues } from './messages.ts'
import { type CallMetrics, createMeters } from './meter.ts'
import type { Functions } from './peer.ts'

/** Events at the caller's end: checked, then given to the listener. A listener that throws harms nobody. */
export interface ListenOptions {
  readonly edge: Edge
  readonly listeners: object
  readonly log: Logger
}

const isListener = (value: unknown): value is (payload: unknown) => unknown => typeof value === 'function'

/** An event without a listener is dropped; one that is unknown or does not fit its schema is dropped and logged. */
const listenTo = ({ edge, listeners, log }: ListenOptions): Functions => {
  const events = new Map(Object.entries(edge.events))
  const heard = new Map<string, unknown>(Object.entries(listeners))
  const hear = async (event: string, payload: unknown): Promise<void> => {
    const schema = events.get(event)
    const listen = heard.get(event)
    if (schema === undefined) return log.warn('event refused: it is none of this edge', { event })
    if (!isListener(listen)) return
    const parsed = v.safeParse(schema, payload)
    if (!parsed.success) return log.error('event refused', { event, errors: fieldIssues(parsed.issues) })
    try {
      await listen(parsed.output)
    } catch (error) {
      log.error('listener failed', { event, error })
    }
  }
  return { run: (event, [payload]) => hear(event, payload) }
}

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
