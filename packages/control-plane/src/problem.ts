// Converts errors to problem documents (RFC 9457).
import { clientMetadataPath, loginCallbackPath, codes, isServiceError, ServiceError, toProblem, toServiceError } from '@gatehouse/contracts'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Env } from './env.ts'

/** Paths without a token. They contain no data, or verify a signature (webhooks). */
export const webhookPath = '/v1/webhooks'

/** The MCP endpoint and its metadata document (RFC 9728). */
export const mcpPath = '/mcp'
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

const open: ReadonlySet<string> = new Set([
  '/',
  '/healthz',
  '/readyz',
  '/ui',
  webhookPath,
  loginCallbackPath,
  clientMetadataPath,
  resourceMetadataPath,
  `${resourceMetadataPath}${mcpPath}`,
])

export const isOpenPath = (path: string): boolean => open.has(path) || path.startsWith('/ui/')

export const problemType = 'application/problem+json'

/** The same problem for a missing, malformed or wrong token. */
const unauthorized = new ServiceError('unauthorized', {
  detail: 'the request needs "Authorization: Bearer <token>" with a token of this unit',
  hint: 'set SERVICE_API_TOKEN to the token that the unit printed when it first started',
})

/** Routes without a token keep their own detail. */
const toKnown = (thrown: unknown, path: string): ServiceError => {
  if (isServiceError(thrown)) return thrown.code === 'unauthorized' && !isOpenPath(path) ? unauthorized : thrown
  if (thrown instanceof HTTPException && thrown.status === 400) return new ServiceError('malformed', { cause: thrown })
  return toServiceError(thrown)
}

export const isMcpPath = ({ unit }: Env['Variables'], path: string): boolean => path === mcpPath && unit.boot.mcp?.endpoint === true

/** The address that the client used, from the Host header, which was checked. */
export const publicOrigin = (c: Context<Env>): string => {
  const host = c.req.header('host')?.toLowerCase() ?? ''
  const known = c.var.unit.boot.publicUrls.find((url) => URL.canParse(url) && new URL(url).host === host)
  return known === undefined ? `http://${host}` : new URL(known).origin
}

const challenge = (c: Context<Env>): string =>
  isMcpPath(c.var, c.req.path) ? `Bearer resource_metadata="${publicOrigin(c)}${resourceMetadataPath}${mcpPath}"` : 'Bearer'

/** Default `Retry-After`, in seconds. */
const someTime = 5

/** Keeps headers that a guard set before it threw. */
export const answerProblem = (c: Context<Env>, thrown: unknown): Response => {
  const error = toKnown(thrown, c.req.path)
  const problem = toProblem(error, c.var.requestId)
  const { log } = c.var.unit
  if (error.code === 'internal') log.error('request failed', { code: error.code, error: error.cause ?? error })
  else if (problem.status >= 500) log.warn('request refused', { code: error.code, detail: error.detail })
  if (error.code === 'unauthorized') c.header('WWW-Authenticate', challenge(c))
  if (problem.status === 429 && !c.res.headers.has('Retry-After')) c.header('Retry-After', error.extra?.['retryAfter'] ?? String(someTime))
  c.header('Content-Type', problemType)
  return c.body(JSON.stringify(problem), codes[error.code].status)
}
