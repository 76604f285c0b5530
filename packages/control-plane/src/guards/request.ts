// Wraps every request: sets its id, log context and headers, and measures its duration.
import { randomUUID } from 'node:crypto'
import { runInContext } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Env, Unit } from '../env.ts'
import { documentedPath } from '../openapi/operation.ts'
import { clientAddress, createProxies } from './client-address.ts'

const idForm = /^[A-Za-z0-9-]{8,64}$/
const traceForm = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])

const safeHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

/** The route pattern instead of the path, to limit the number of labels. */
const routeOf = (c: Context<Env>): string => {
  const route = matchedRoutes(c).find(({ path }) => path !== '/*')
  return route === undefined ? 'none' : documentedPath(route.path)
}

const record = (c: Context<Env>, began: number): void => {
  const { metrics, log } = c.var.unit
  const method = knownMethods.has(c.req.method) ? c.req.method : 'other'
  const labels = { route: routeOf(c), method, status: String(c.res.status) }
  const seconds = (performance.now() - began) / 1000
  metrics.counter('http_requests_total').inc(labels)
  metrics.histogram('http_request_duration_seconds').observe({ route: labels.route }, seconds)
  log.debug('http request', { ...labels, ms: Math.round(seconds * 1e6) / 1e3 })
}

export const requestGuard = (unit: Unit): MiddlewareHandler<Env> => {
  const proxies = createProxies(unit.boot.trustedProxies)
  return async (c, next) => {
    const began = performance.now()
    const offered = c.req.header('x-request-id')
    const trace = c.req.header('traceparent')
    const requestId = offered !== undefined && idForm.test(offered) ? offered : randomUUID()
    const traceparent = trace !== undefined && traceForm.test(trace) ? trace : undefined
    c.set('unit', unit)
    c.set('requestId', requestId)
    c.set('token', null)
    c.set('address', clientAddress(c, proxies))
    c.set('call', { requestId, traceparent })
    for (const [name, value] of Object.entries({ 'X-Request-Id': requestId, ...safeHeaders })) c.header(name, value)
    await runInContext({ requestId, traceparent }, async () => {
      await next()
      record(c, began)
    })
  }
}
