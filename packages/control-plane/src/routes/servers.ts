// Routes of tool servers: the catalog at the gateway joined with their state at the broker, probes and logs.
import {
  DeclaredTools,
  limits,
  ProbeResult,
  ReloadOutcome,
  ServerList,
  ServerLogs,
  ServerName,
  type ServerState,
  ServerView,
  ServiceError,
} from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { toolServersGuard } from '../guards/scope.ts'
import { guarded, json, withHeader } from '../openapi/operation.ts'
import { ifNoneMatchHeader, isHeld, quoteTag } from './headers.ts'
import { Sequence } from './query.ts'
import { existing, query } from './validate.ts'

/** Probes a server: authorized by the gateway, run by the broker, cancelled when the client disconnects. */
const probeServer = async (c: Context<Env>, name: ServerName): Promise<ProbeResult> => {
  const { unit, token, call } = c.var
  const { gateway, broker } = unit.peers
  if (broker === null) throw new ServiceError('mcp-disabled')
  await gateway.permit({ token, route: 'probe' }, call)
  const known = await gateway.server({ token, name }, call)
  return broker.probe({ name: known.name }, { ...call, signal: c.req.raw.signal })
}

/** Standard error of a local tool server: authorized by the gateway, stored by the broker. */
const LogsQuery = v.strictObject({
  /** `next` of an earlier response. */
  after: v.optional(Sequence),
  limit: v.optional(v.pipe(Sequence, v.minValue(1), v.maxValue(limits.serverLogLines)), '200'),
})

interface Asked extends v.InferOutput<typeof LogsQuery> {
  readonly name: ServerName
}

const readLogs = async (c: Context<Env>, { name, ...query }: Asked): Promise<ServerLogs> => {
  const { unit, token, call } = c.var
  const { gateway, broker } = unit.peers
  if (broker === null) throw new ServiceError('mcp-disabled')
  await gateway.permit({ token, route: 'logs' }, call)
  const known = await gateway.server({ token, name }, call)
  return broker.logs({ name: known.name, ...query }, call)
}

const tag = 'tool servers'
const Named = v.object({ name: ServerName })

/** Empty if the broker is down, so that the list is shown without states. */
const readStates = async (c: Context<Env>): Promise<Readonly<Record<string, ServerState>>> => {
  try {
    return (await c.var.unit.peers.broker?.states({}, c.var.call)) ?? {}
  } catch (error) {
    c.var.unit.log.debug('states of tool servers not read', { error })
    return {}
  }
}

const viewOf = (row: Omit<ServerView, 'state'>, states: Readonly<Record<string, ServerState>>): ServerView => {
  const state = Object.hasOwn(states, row.name) ? states[row.name] : undefined
  return { ...row, ...(state !== undefined && { state }) }
}

const listed = guarded({
  summary: 'Catalog entries, values masked',
  tag,
  answers: { 200: json('All', ServerList) },
  problems: ['mcp-disabled'],
})

const shown = guarded({
  summary: 'One catalog entry',
  tag,
  answers: {
    200: withHeader(json('The entry', ServerView), 'ETag', 'Changes with every value of the entry'),
    304: { description: 'The entry matches If-None-Match' },
  },
  problems: ['not-found', 'mcp-disabled'],
  reads: [ifNoneMatchHeader],
})

export const serverRoutes = new Hono<Env>()
  .get('/v1/registry/mcp-servers', listed, toolServersGuard, async (c) => {
    const { unit, token, call } = c.var
    const [{ items }, states] = await Promise.all([unit.peers.gateway.servers({ token }, call), readStates(c)])
    return c.json({ items: items.map((row) => viewOf(row, states)) })
  })
  .get('/v1/registry/mcp-servers/:name', shown, toolServersGuard, existing(Named), async (c) => {
    const { unit, token, call } = c.var
    const [row, states] = await Promise.all([unit.peers.gateway.server({ token, ...c.req.valid('param') }, call), readStates(c)])
    c.header('ETag', quoteTag(row.tag))
    return isHeld(c, row.tag) ? c.body(null, 304) : c.json(viewOf(row, states))
  })
  .get(
    '/v1/registry/mcp-servers/:name/tools',
    guarded({
      summary: 'The tools of a server as they were last listed; nothing is asked of the server',
      tag,
      answers: { 200: json('The declared tools, and when they were listed', DeclaredTools) },
      problems: ['not-found', 'mcp-disabled'],
    }),
    toolServersGuard,
    existing(Named),
    async (c) => c.json(await c.var.unit.peers.gateway.declaredTools({ token: c.var.token, ...c.req.valid('param') }, c.var.call)),
  )
  .post(
    '/v1/registry/mcp-servers/:name/probe',
    guarded({
      summary: 'Connect to a tool server and list its tools',
      tag,
      answers: { 200: json('The declared tools', ProbeResult) },
      problems: ['not-found', 'upstream-failed', 'mcp-disabled'],
    }),
    toolServersGuard,
    existing(Named),
    async (c) => c.json(await probeServer(c, c.req.valid('param').name)),
  )
  .get(
    '/v1/registry/mcp-servers/:name/logs',
    guarded({
      summary: 'Stderr of a local tool server; to follow it, repeat with `after`',
      tag,
      answers: { 200: json('The newest stored lines, oldest first', ServerLogs) },
      problems: ['invalid', 'not-found', 'mcp-disabled'],
    }),
    toolServersGuard,
    existing(Named),
    query(LogsQuery),
    async (c) => c.json(await readLogs(c, { ...c.req.valid('param'), ...c.req.valid('query') })),
  )
  .post(
    '/v1/registry/reload',
    guarded({
      summary: 'Reload the catalog file',
      tag,
      answers: { 200: json('The differences', ReloadOutcome) },
      problems: ['invalid', 'conflict', 'mcp-disabled', 'audit-unwritable'],
    }),
    toolServersGuard,
    async (c) => c.json(await c.var.unit.peers.gateway.reload({ token: c.var.token }, c.var.call)),
  )
