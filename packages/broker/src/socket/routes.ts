// The two things that can be asked on `tools.sock`. Headers that claim an identity are never read: the socket is the identity.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { CallTools } from '../calls/handle.ts'
import type { CallSession } from '../calls/session.ts'
import { createCallRoute } from './call.ts'
import { type Exchange, openExchange, type Patience } from './exchange.ts'
import { createListRoute } from './list.ts'
import { problemReply, type Reply, send } from './reply.ts'
import type { RunningExchanges } from './running.ts'

type Route = (session: CallSession, exchange: Exchange) => Promise<Reply>

export interface RouteOptions extends CallTools, Patience {
  readonly log: Logger
  readonly running: RunningExchanges
}

export type Serve = (session: CallSession, request: IncomingMessage, response: ServerResponse) => void

const missing = (request: IncomingMessage, response: ServerResponse, allowed: string | undefined): void => {
  request.resume()
  const reply =
    allowed === undefined
      ? problemReply(new ServiceError('not-found', { detail: 'expected the path /tools or /call' }))
      : problemReply(new ServiceError('method-not-allowed', { detail: `expected ${allowed}, got ${request.method}` }), { allow: allowed })
  send(response, reply)
}

export const createRoutes = ({ log, running, callTime, stopping, ...tools }: RouteOptions): Serve => {
  const routes: Readonly<Record<string, { method: string; run: Route }>> = {
    '/tools': { method: 'GET', run: createListRoute(tools) },
    '/call': { method: 'POST', run: createCallRoute(tools) },
  }
  const answer = async (run: Route, session: CallSession, exchange: Exchange): Promise<void> => {
    try {
      send(exchange.response, await run(session, exchange))
    } catch (error) {
      log.error('a request on a session socket failed', { session: session.id, error })
      send(exchange.response, problemReply(new ServiceError('internal')))
    } finally {
      exchange.end()
    }
  }
  return (session, request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    if (route === undefined || request.method !== route.method) return missing(request, response, route?.method)
    running.add(answer(route.run, session, openExchange(request, response, { callTime, stopping })))
  }
}
