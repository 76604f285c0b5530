// The MCP endpoint for clients outside a sandbox, and its metadata document. Only on a unit that was started with
// --mcp-endpoint.
import { isServiceError, jsonBounds, JsonObject, limits, ServiceError } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import { describeRoute } from 'hono-openapi'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { readJson } from '../guards/body.ts'
import { ClientStream } from '../mcp/client-stream.ts'
import { exchange, type Exchanged, openNotifications, type OpenStream } from '../mcp/exchange.ts'
import type { McpCaller } from '../mcp/caller.ts'
import { guarded, json, unguarded } from '../openapi/operation.ts'
import { documented } from '../openapi/schemas.ts'
import { mcpPath, publicOrigin, resourceMetadataPath } from '../problem.ts'
import { mayLast } from '../server/connections.ts'

const tag = 'mcp'

const rpcError = (description: string) => ({ description, content: { 'application/json': { schema: { type: 'object' as const } } } })

const notAcceptable = { 406: rpcError('Accept names neither JSON nor an event stream as the revision asks for') }

/** Metadata document of RFC 9728, without an authorization server, because admins create the tokens. */
const ResourceMetadata = v.strictObject({
  resource: v.string(),
  resource_name: v.string(),
  bearer_methods_supported: v.array(v.string()),
})

const events = { 'text/event-stream': { schema: { type: 'string' as const } } }

const posted = guarded({
  summary: 'A message of MCP, in the revisions up to 2025-11-25 or in 2026-07-28',
  tag,
  answers: {
    200: {
      description: 'The answer, or the notifications of a subscription',
      content: { 'application/json': { schema: documented(JsonObject) }, ...events },
    },
    202: { description: 'A notification was taken' },
    400: rpcError('It is no message of the revision that it names'),
    404: rpcError('There is no such method in this revision'),
    ...notAcceptable,
  },
  problems: ['unsupported-media-type'],
})

const messageBody = describeRoute({ requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } } })

const listened = guarded({
  summary: 'Notifications for the revisions up to 2025-11-25: when the tools may have changed',
  tag,
  answers: {
    200: { description: 'An event stream that ends with the token', content: events },
    400: rpcError('There is no such revision'),
    ...notAcceptable,
  },
})

const described = unguarded({
  summary: 'How a client is let in (RFC 9728)',
  tag,
  answers: { 200: json('Metadata of the protected resource', ResourceMetadata) },
})

const callerOf = ({ unit, token, call }: Env['Variables']): McpCaller => {
  if (token === null) throw new ServiceError('unauthorized')
  return { unit, token, call }
}

const outgoingOf = (c: Context<Env>) => (c.env as Env['Bindings'] | undefined)?.outgoing

const stream = (c: Context<Env>, { token, unit, call }: McpCaller, { source, notify, close }: OpenStream): Response => {
  const outgoing = outgoingOf(c)
  const { events: hub, peers } = unit
  const listener = new ClientStream({
    events: hub,
    token,
    principal: c.var.principal,
    notify,
    close,
    permit: () => peers.gateway.permit({ token, route: 'mcp' }, call),
    cut: () => void (outgoing?.writableFinished === false && outgoing.destroy()),
  })
  try {
    hub.join(listener)
  } catch (error) {
    close()
    if (isServiceError(error) && error.code === 'rate-limited') c.header('Retry-After', String(limits.eventPing / 1000))
    throw error
  }
  mayLast(c.env)
  return c.body(listener.begin(source), 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
}

/** Calls send no notifications, so the response is sent at once and counts as an ordinary one. */
const answer = async (c: Context<Env>, caller: McpCaller, { response, stream: open }: Exchanged): Promise<Response> => {
  if (open !== undefined) return stream(c, caller, open)
  const body = await response.arrayBuffer()
  // Keep headers that the guards have set.
  for (const [name, value] of response.headers) c.header(name, value)
  c.status(response.status as StatusCode)
  return body.byteLength === 0 ? c.body(null) : c.body(body)
}

const refuseBatch = (c: Context<Env>): Response =>
  c.json({ jsonrpc: '2.0', error: { code: -32600, message: 'batches are not supported: send one message' }, id: null }, 400)

const metadata = (c: Context<Env>): Response =>
  c.json({
    resource: `${publicOrigin(c)}${mcpPath}`,
    resource_name: 'Gatehouse',
    bearer_methods_supported: ['header'],
  } satisfies v.InferOutput<typeof ResourceMetadata>)

export const mcpRoutes = new Hono<Env>()
  .post(mcpPath, posted, messageBody, async (c) => {
    const body = await readJson(c, jsonBounds.mcpRequest)
    if (Array.isArray(body)) return refuseBatch(c)
    const caller = callerOf(c.var)
    return answer(c, caller, await exchange(caller, c.req.raw, body))
  })
  .get(mcpPath, listened, async (c) => {
    // A HEAD request would never read the stream and never close it.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' })
    const caller = callerOf(c.var)
    return answer(c, caller, await openNotifications(caller, c.req.raw))
  })
  .get(resourceMetadataPath, described, metadata)
  .get(`${resourceMetadataPath}${mcpPath}`, described, metadata)
