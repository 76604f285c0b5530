// Routes requests of a session socket. The socket identifies the session; headers that claim an identity are never read.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits, ServiceError } from '@gatehouse/contracts'
import { type Bounds, ConcurrencyLimiter, ConnectionQueues } from './concurrency-limiter.ts'
import { type Exchange, openExchange, type Patience, problemReply, type Reply, type RunningExchanges, send } from './exchange.ts'

/** Segments of the path by the name that the route gives them. */
export type PathParameters = Readonly<Record<string, string>>

export interface Route<Caller> {
  readonly method: string
  /** Limits for each session. Beyond them a connection is not read until a request may start. */
  readonly bounds?: Bounds | ((caller: Caller) => Bounds)
  /** Resolves to undefined when the route has written the response itself. */
  run(caller: Caller, exchange: Exchange, parameters: PathParameters): Promise<Reply | undefined>
}

/** A request for a path that does not exist, or with a method that its path does not have. */
export interface Misdirected {
  readonly request: IncomingMessage
  readonly paths: readonly string[]
  /** The path as its route spells it, and its method; undefined where no route has the path. */
  readonly known: { readonly path: string; readonly method: string } | undefined
}

/** `Caller` is the session bound to a socket, as its service knows it. A request cannot override it. */
export interface ServeOptions<Caller extends object> extends Patience {
  /** By path: `:name` stands for one segment, `*` for every path and method that no other route has. */
  readonly routes: Readonly<Record<string, Route<Caller>>>
  readonly running: RunningExchanges
  /** Called when a request begins to run; what it returns, when the request is answered. */
  readonly guard?: (caller: Caller, request: IncomingMessage) => () => void
  /** The answer to an error that a route threw; undefined: the connection is cut. */
  readonly fault: (error: unknown, caller: Caller) => Reply | undefined
  readonly refuse?: (misdirected: Misdirected) => ServiceError
}

export type Serve<Caller> = (caller: Caller, request: IncomingMessage, response: ServerResponse) => void

interface Match<Caller> {
  readonly route: Route<Caller>
  readonly parameters: PathParameters
}

const refuseByDefault = ({ request, paths, known }: Misdirected): ServiceError =>
  known === undefined
    ? new ServiceError('not-found', { detail: `no such path: use ${paths.join(' or ')}` })
    : new ServiceError('method-not-allowed', { detail: `expected ${known.method}, got ${request.method}` })

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Undefined unless the path has the segments of the pattern. */
const matchPath = (pattern: readonly string[], path: readonly string[]): PathParameters | undefined => {
  if (pattern.length !== path.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [at, expected] of pattern.entries()) {
    const segment = path[at] ?? ''
    if (expected.startsWith(':') && segment !== '') parameters[expected.slice(1)] = decode(segment)
    else if (expected !== segment) return undefined
  }
  return parameters
}

const createTable = <Caller extends object>({
  routes,
  refuse = refuseByDefault,
}: Pick<ServeOptions<Caller>, 'routes' | 'refuse'>): ((request: IncomingMessage) => Match<Caller>) => {
  const { '*': rest, ...named } = routes
  const paths = Object.keys(named)
  const patterns = Object.entries(named).map(([path, route]) => ({ path, route, segments: path.split('/') }))
  /** Requests for unknown paths are limited too. */
  const elsewhere = new Map<string | undefined, Route<Caller>>()
  const misdirected = (known: Misdirected['known']): Route<Caller> => {
    const run = async (_: Caller, { request }: Exchange): Promise<Reply> => {
      request.resume()
      return problemReply(refuse({ request, paths, known }), known === undefined ? {} : { headers: { allow: known.method } })
    }
    const route = elsewhere.get(known?.path) ?? { method: '', bounds: { perMinute: limits.sessionCallsPerMinute }, run }
    elsewhere.set(known?.path, route)
    return route
  }
  return ({ url = '', method }) => {
    const segments = (url.split('?', 1)[0] ?? '').split('/')
    for (const { path, route, segments: pattern } of patterns) {
      const parameters = matchPath(pattern, segments)
      if (parameters === undefined) continue
      return { route: route.method === method ? route : misdirected({ path, method: route.method }), parameters }
    }
    return { route: rest ?? misdirected(undefined), parameters: {} }
  }
}

/** The concurrency limiters of each session, by route. */
const createLimiters = <Caller extends object>(): ((caller: Caller, route: Route<Caller>) => ConcurrencyLimiter | undefined) => {
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

export const createServe = <Caller extends object>(options: ServeOptions<Caller>): Serve<Caller> => {
  const { running, callTime, stopping, guard, fault } = options
  const find = createTable(options)
  const limiterFor = createLimiters<Caller>()
  const queues = new ConnectionQueues()
  const answer = async ({ route, parameters }: Match<Caller>, caller: Caller, exchange: Exchange): Promise<void> => {
    const { request, response } = exchange
    const leave = guard?.(caller, request)
    try {
      const reply = await route.run(caller, exchange, parameters)
      if (reply !== undefined) send(response, reply)
    } catch (error) {
      const reply = fault(error, caller)
      if (reply === undefined || response.headersSent) response.destroy()
      else send(response, reply)
    } finally {
      exchange.end()
      leave?.()
    }
  }
  return (caller, request, response) => {
    const match = find(request)
    queues.take(request, limiterFor(caller, match.route), (leave) =>
      running.add(answer(match, caller, openExchange(request, response, { callTime, stopping })).finally(leave)),
    )
  }
}
