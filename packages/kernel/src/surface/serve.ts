// What can be asked on a session's socket, as a table. Headers that claim an identity are never read: the socket is the identity.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError, type SessionID } from '@gatehouse/contracts'
import type { Logger } from '../log/logger.ts'
import { type Exchange, openExchange, type Patience } from './exchange.ts'
import { problemReply, type Reply, send } from './reply.ts'
import type { RunningExchanges } from './running.ts'

/** Whom a socket belongs to. Nothing in a request can name another. */
export interface SurfaceCaller {
  readonly id: SessionID
}

export interface Route<Caller> {
  readonly method: string
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

export const createServe = <Caller extends SurfaceCaller>({
  routes,
  log,
  running,
  callTime,
  stopping,
}: ServeOptions<Caller>): Serve<Caller> => {
  const paths = Object.keys(routes)
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
    const path = request.url?.split('?', 1)[0] ?? ''
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    if (route === undefined || request.method !== route.method) return send(response, missing(request, route?.method, paths))
    running.add(answer(route, caller, openExchange(request, response, { callTime, stopping })))
  }
}
