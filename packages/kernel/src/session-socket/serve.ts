// Routes requests of a session socket. The socket identifies the session; headers that claim an identity are never read.
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
  /** Limits for each session. Beyond them a connection is not read until a request may start. */
  readonly bounds?: Bounds | ((caller: Caller) => Bounds)
  /** Resolves to undefined when the route has written the response itself. */
  run(caller: Caller, exchange: Exchange): Promise<Reply | undefined>
}

export interface ServeOptions<Caller extends SurfaceCaller> extends Patience {
  /** By path. */
  readonly routes: Readonly<Record<string, Route<Caller>>>
  readonly log: Logger
  readonly running: RunningExchanges
}

export type Serve<Caller> = (caller: Caller, request: IncomingMessage, response: ServerResponse) => void

const replyMissing = (request: IncomingMessage, allowed: string | undefined, paths: readonly string[]): Reply => {
  request.resume()
  return allowed === undefined
    ? problemReply(new ServiceError('not-found', { detail: `no such path: use ${paths.join(' or ')}` }))
    : problemReply(new ServiceError('method-not-allowed', { detail: `expected ${allowed}, got ${request.method}` }), { allow: allowed })
}

/** The concurrency limiters of each session, by route. */
const createLimiters = <Caller extends SurfaceCaller>(): ((caller: Caller, route: Route<Caller>) => ConcurrencyLimiter | undefined) => {
  const limiters = new WeakMap<Caller, Map<Route<Caller>, ConcurrencyLimiter>>()
  return (caller, route) => {
    if (route.bounds === undefined) return undefined
    const sessionLimiters = limiters.get(caller) ?? new Map<Route<Caller>, ConcurrencyLimiter>()
    limiters.set(caller, sessionLimiters)
    const limiter =
      sessionLimiters.get(route) ?? new ConcurrencyLimiter(typeof route.bounds === 'function' ? route.bounds(caller) : route.bounds)
    sessionLimiters.set(route, limiter)
    return limiter
  }
}

export const createServe = <Caller extends SurfaceCaller>(options: ServeOptions<Caller>): Serve<Caller> => {
  const { routes, log, running, callTime, stopping } = options
  const paths = Object.keys(routes)
  const limiterFor = createLimiters<Caller>()
  const queues = new ConnectionQueues()
  const find = ({ url = '', method }: IncomingMessage): Route<Caller> => {
    const path = url.split('?', 1)[0] ?? ''
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    return route?.method === method && route !== undefined ? route : missingRoute(route?.method)
  }
  /** Requests for unknown paths are limited too. */
  const missingRoutes = new Map<string | undefined, Route<Caller>>()
  const missingRoute = (allowed: string | undefined): Route<Caller> => {
    const run = async (_: Caller, { request }: Exchange): Promise<Reply> => replyMissing(request, allowed, paths)
    const route = missingRoutes.get(allowed) ?? { method: '', bounds: { perMinute: limits.sessionCallsPerMinute }, run }
    missingRoutes.set(allowed, route)
    return route
  }
  const answer = async (route: Route<Caller>, caller: Caller, exchange: Exchange): Promise<void> => {
    try {
      const reply = await route.run(caller, exchange)
      if (reply !== undefined) send(exchange.response, reply)
    } catch (error) {
      log.error('request on a session socket failed', { session: caller.id, error })
      if (exchange.response.headersSent) exchange.response.destroy()
      else send(exchange.response, problemReply(new ServiceError('internal')))
    } finally {
      exchange.end()
    }
  }
  return (caller, request, response) => {
    const route = find(request)
    queues.take(request, limiterFor(caller, route), (leave) =>
      running.add(answer(route, caller, openExchange(request, response, { callTime, stopping })).finally(leave)),
    )
  }
}
