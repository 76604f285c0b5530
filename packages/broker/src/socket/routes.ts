// The two things that can be asked on `tools.sock`. Headers that claim an identity are never read: the socket is the identity.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { CallSession, CallTools } from '../calls/handle.ts'
import { createCallRoute } from './call.ts'
import { type Exchange, openExchange } from './exchange.ts'
import { createListRoute } from './list.ts'
import { problemReply, type Reply, send } from './reply.ts'

type Route = (session: CallSession, exchange: Exchange) => Promise<Reply>

export interface RouteOptions extends CallTools {
  readonly log: Logger
  /** Aborts when the broker stops: what still runs is given up. */
  readonly stopping: AbortSignal
}

export type Serve = (session: CallSession, request: IncomingMessage, response: ServerResponse) => Promise<void>

const missing = (request: IncomingMessage, response: ServerResponse, allowed: string | undefined): void => {
  request.resume()
  const reply =
    allowed === undefined
      ? problemReply(new ServiceError('not-found', { detail: 'expected the path /tools or /call' }))
      : problemReply(new ServiceError('method-not-allowed', { detail: `expected ${allowed}, got ${request.method}` }), { allow: allowed })
  send(response, reply)
}

export const createRoutes = ({ log, stopping, ...tools }: RouteOptions): Serve => {
  const routes: Readonly<Record<string, { method: string; run: Route }>> = {
    '/tools': { method: 'GET', run: createListRoute(tools) },
    '/call': { method: 'POST', run: createCallRoute(tools) },
  }
  return async (session, request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    if (route === undefined || request.method !== route.method) return missing(request, response, route?.method)
    const exchange = openExchange(request, response, stopping)
    try {
      send(response, await route.run(session, exchange))
    } catch (error) {
      log.error('a request on a session socket failed', { session: session.id, error })
      send(response, problemReply(new ServiceError('internal')))
    } finally {
      exchange.end()
    }
  }
}
