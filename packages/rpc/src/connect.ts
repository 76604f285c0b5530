// A caller's end of an edge: calls as functions, events to listeners, a connection that comes back by itself.
import type { Edge } from '@gatehouse/contracts'
import { checkSocketPath, type Logger, silentLogger } from '@gatehouse/kernel'
import { createCall } from './call.ts'
import type { Calls, EdgeClient, EventListeners } from './contract.ts'
import type { Lane } from './hello.ts'
import { Link } from './link.ts'
import { type AnyListener, listenTo } from './listen.ts'
import type { Functions } from './peer.ts'

export interface ConnectOptions<E extends Edge> {
  readonly path: string
  readonly secret: string
  readonly on?: EventListeners<E> | undefined
  /** Runs after each time the connection came up, so that the caller learns what it missed. */
  readonly onConnect?: (() => void | Promise<void>) | undefined
  readonly log?: Logger | undefined
}

export const connectEdge = <E extends Edge>(edge: E, options: ConnectOptions<E>): EdgeClient<E> => {
  checkSocketPath(options.path)
  const log = (options.log ?? silentLogger).child({ edge: edge.name })
  const resynchronise = async (): Promise<void> => {
    try {
      await options.onConnect?.()
    } catch (error) {
      log.error('resynchronisation failed', { error })
    }
  }
  const link = (lane: Lane, functions: Functions, onUp?: () => void): Link =>
    new Link({ edge, path: options.path, secret: options.secret, lane, functions, log, ...(onUp === undefined ? {} : { onUp }) })
  const main = link('main', listenTo(edge, (event) => options.on?.[event] as AnyListener | undefined, log), () => void resynchronise())
  const large = link('large', Object.create(null) as Functions)
  const pick = (spec: { large?: boolean }): Link => (spec.large === true ? large : main)
  const calls = Object.fromEntries(Object.entries(edge.calls).map(([name, spec]) => [name, createCall(name, spec, { edge, link: pick, log })]))
  main.open()
  return {
    calls: calls as Calls<E>,
    connected: () => main.peer !== undefined,
    close: () => {
      main.close()
      large.close()
    },
  }
}
