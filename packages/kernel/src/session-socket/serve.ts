// Routes of a session socket. Headers that claim an identity are never read: the socket is the identity.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits, ServiceError, type SessionID } from '@gatehouse/contracts'
import type { Logger } from '../log/logger.ts'
import { type Bounds, ConcurrencyLimiter, ConnectionQueues } from './concurrency-limiter.ts'
import { type Exchange, openExchange, type Patience, problemReply, type Reply, type RunningExchanges, send } from './exchange.ts'

/** The session bound to this socket. A request cannot override it. */
export interface SurfaceCaller {
  readonly id: SessionID
}

export interface Route<Caller> {
  readonly method: string
  /** Of each session. Beyond them its connection is not read until there is room. */
  readonly bounds?: Bounds | ((caller: Caller) => Bounds)
  /** Undefined where the response was written by the route itself. */
  run(caller: Caller, exchange: Exchange): Promise<Reply | undefined>
}

export interface ServeOptions<Caller extends SurfaceCaller> extends Patience {
  /** By path. */
  readonly routes: Readonly<Record<string, Route<Caller>>>
  readonly log: Logger
  readonly running: RunningExchanges
}

export type Serve<Caller> = (caller: Caller, request: IncomingMessage, response: ServerResponse) => void

const missing = (request: IncomingMessage, allowed: string | undefined, paths: readonly string[]): Reply => {
  request.resume()
  return allowed === undefined
    ? problemReply(new ServiceError('not-found', { detail: `expected the path ${paths.join(' or ')}` }))
    : problemReply(new ServiceError('method-not-allowed', { detail: `expected ${allowed}, got ${request.method}` }), { allow: allowed })
}

/** The gates of each session, by route. */
const createGates = <Caller extends SurfaceCaller>(): ((caller: Caller, route: Route<Caller>) => ConcurrencyLimiter | undefined) => {
  const gates = new WeakMap<Caller, Map<Route<Caller>, ConcurrencyLimiter>>()
  return (caller, route) => {
    if (route.bounds === undefined) return undefined
    const own = gates.get(caller) ?? new Map<Route<Caller>, ConcurrencyLimiter>()
    gates.set(caller, own)
    const gate = own.get(route) ?? new ConcurrencyLimiter(typeof route.bounds === 'function' ? route.bounds(caller) : route.bounds)
    own.set(route, gate)
    return gate
  }
}

export const createServe = <Caller extends SurfaceCaller>(options: ServeOptions<Caller>): Serve<Caller> => {
  const { routes, log, running, callTime, stopping } = options
  const paths = Object.keys(routes)
  const gateOf = createGates<Caller>()
  const lines = new ConnectionQueues()
  const find = ({ url = '', method }: IncomingMessage): Route<Caller> => {
    const path = url.split('?', 1)[0] ?? ''
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    return route?.method === method && route !== undefined ? route : elsewhere(route?.method)
  }
  /** Asking for what is not there is bounded too. */
  const nowhere = new Map<string | undefined, Route<Caller>>()
  const elsewhere = (allowed: string | undefined): Route<Caller> => {
    const run = async (_: Caller, { request }: Exchange): Promise<Reply> => missing(request, allowed, paths)
    const route = nowhere.get(allowed) ?? { method: '', bounds: { perMinute: limits.sessionCallsPerMinute }, run }
    nowhere.set(allowed, route)
    return route
  }
  const answer = async (route: Route<Caller>, caller: Caller, exchange: Exchange): Promise<void> => {
    try {
      const reply = await route.run(caller, exchange)
      if (reply !== undefined) send(exchange.response, reply)
    } catch (error) {
      log.error('a request on a session socket failed', { session: caller.id, error })
      if (exchange.response.headersSent) exchange.response.destroy()
      else send(exchange.response, problemReply(new ServiceError('internal')))
    } finally {
      exchange.end()
    }
  }
  return (caller, request, response) => {
    const route = find(request)
    lines.take(request, gateOf(caller, route), (leave) =>
      running.add(answer(route, caller, openExchange(request, response, { callTime, stopping })).finally(leave)),
    )
  }
}
