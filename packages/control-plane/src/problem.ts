// Turns every error into a problem document (RFC 9457) with the members of the error table.
import { codes, isServiceError, ServiceError, toProblem, toServiceError } from '@gatehouse/contracts'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Env } from './env.ts'

/** Which paths need no token. What needs none holds no data; webhooks are proved by their own signature. */
export const webhookPath = '/v1/webhooks'

/** The endpoint of clients outside of a sandbox, and what says how to be let in there (RFC 9728). */
export const mcpPath = '/mcp'
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

const open: ReadonlySet<string> = new Set([
  '/',
  '/healthz',
  '/readyz',
  '/ui',
  webhookPath,
  resourceMetadataPath,
  `${resourceMetadataPath}${mcpPath}`,
])

export const isOpenPath = (path: string): boolean => open.has(path) || path.startsWith('/ui/')

export const problemType = 'application/problem+json'

/** The same for a missing, a malformed and a wrong token, whoever refused it. */
const unauthorized = new ServiceError('unauthorized', {
  detail: 'expected "Authorization: Bearer <token>" with a token of this unit',
  hint: 'set SERVICE_API_TOKEN to the token that the unit printed at its first start',
})

/** Where no token is asked for, what was expected is the route's to say. */
const toKnown = (thrown: unknown, path: string): ServiceError => {
  if (isServiceError(thrown)) return thrown.code === 'unauthorized' && !isOpenPath(path) ? unauthorized : thrown
  if (thrown instanceof HTTPException && thrown.status === 400) return new ServiceError('malformed', { cause: thrown })
  return toServiceError(thrown)
}

export const isMcpPath = ({ unit }: Env['Variables'], path: string): boolean => path === mcpPath && unit.boot.mcp?.endpoint === true

/** The address by which the client has reached the unit. The Host header was checked. */
export const publicOrigin = (c: Context<Env>): string => {
  const host = c.req.header('host')?.toLowerCase() ?? ''
  const known = c.var.unit.boot.publicUrls.find((url) => URL.canParse(url) && new URL(url).host === host)
  return known === undefined ? `http://${host}` : new URL(known).origin
}

const challenge = (c: Context<Env>): string =>
  isMcpPath(c.var, c.req.path) ? `Bearer resource_metadata="${publicOrigin(c)}${resourceMetadataPath}${mcpPath}"` : 'Bearer'

/** Seconds for who is told to come back, and not when. */
const someTime = 5

/** Headers that a guard set before it threw stay on the answer. */
export const answerProblem = (c: Context<Env>, thrown: unknown): Response => {
  const error = toKnown(thrown, c.req.path)
  const problem = toProblem(error, c.var.requestId)
  const { log } = c.var.unit
  if (error.code === 'internal') log.error('request failed', { code: error.code, error: error.cause ?? error })
  else if (problem.status >= 500) log.warn('request not served', { code: error.code, detail: error.detail })
  if (error.code === 'unauthorized') c.header('WWW-Authenticate', challenge(c))
  if (problem.status === 429 && !c.res.headers.has('Retry-After')) c.header('Retry-After', error.extra?.['retryAfter'] ?? String(someTime))
  c.header('Content-Type', problemType)
  return c.body(JSON.stringify(problem), codes[error.code].status)
}
