// The application. Every request passes the guards in this order, then one handler.
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env, Unit } from './env.ts'
import { createAllowedOrigins, hostGuard } from './guards/allowed-origins.ts'
import { escapeGuard, refuseOtherMethods } from './guards/method.ts'
import { createRateGuard } from './guards/rate.ts'
import { requestGuard } from './guards/request.ts'
import { delayRefusalsGuard, throttleGuard } from './guards/throttle.ts'
import { tokenGuard } from './guards/token.ts'
import { showWebhooks } from './guards/webhook.ts'
import { generateOpenApi } from './open-api.ts'
import { documentedPath } from './openapi/operation.ts'
import { answerProblem } from './problem.ts'
import { createRoutes } from './routes/routes.ts'

export interface AppOptions {
  readonly unit: Unit
  /** The actual port, also if the boot document has port 0. */
  readonly port: number
  /** Monotonic milliseconds, for the limiters. */
  readonly now?: () => number
  /** Delays clients that read too much or send too many requests. */
  readonly wait?: (milliseconds: number) => Promise<void>
}

/** Created on the first request. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Reads are counted with status 200, so that the metric exists before the first request. */
const showReads = ({ routes }: Hono<Env>, metrics: Unit['metrics']): void => {
  for (const { path, method } of routes) {
    if (method === 'GET') metrics.touch('http_requests_total', { route: documentedPath(path), method, status: '200' })
  }
  for (const op of ['list', 'call', 'request-change'])
    for (const outcome of ['ok', 'error']) metrics.touch('mcp_client_requests_total', { op, outcome })
}

export const createApp = ({ unit, port, now, wait = pause }: AppOptions): Hono<Env> => {
  const { boot } = unit
  const app = new Hono<Env>()
  app.onError((error, c) => answerProblem(c, error))
  app.use(delayRefusalsGuard(wait))
  app.use(requestGuard(unit))
  app.use(escapeGuard)
  app.use(hostGuard(createAllowedOrigins({ host: boot.host, port, publicUrls: boot.publicUrls })))
  const rate = boot.rate === null ? undefined : createRateGuard(boot.rate, now)
  app.use(tokenGuard({ now, assertLeft: rate?.assertLeft }))
  if (rate !== undefined) {
    app.use(rate.guard)
    app.use(throttleGuard({ now, wait }))
  }
  const routes = createRoutes(once(generateOpenApi), { now, hasMcp: boot.mcp?.endpoint === true })
  app.route('/', routes)
  showReads(routes, unit.metrics)
  showWebhooks(unit.metrics)
  refuseOtherMethods(app)
  app.notFound((c) => answerProblem(c, new ServiceError('not-found', { detail: 'there is no such path' })))
  return app
}
