// Tool servers: the catalog at the gateway, joined with what the broker sees of them.
import { CatalogEntry, limits, ProbeResult, ServerList, ServerName, type ServerState, ServerView } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody } from '../guards/body.ts'
import { toolServersGuard } from '../guards/tool-servers.ts'
import { guarded, json } from '../openapi/operation.ts'
import { probeServer } from './probe.ts'
import { body, existing, newName } from './validate.ts'

const tag = 'tool servers'
const Named = v.object({ name: ServerName })

/** Nothing while the broker is down: a list without states is still a list. */
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
  return { name: row.name, entry: row.entry, digest: row.digest, ...(state !== undefined && { state }) }
}

const put = guarded({
  summary: 'Create or replace a catalog entry; grants nothing to anybody',
  tag,
  answers: { 200: json('Replaced', ServerView), 201: json('Created', ServerView) },
  problems: ['unsupported-media-type', 'invalid', 'conflict', 'mcp-disabled', 'audit-unwritable'],
})

export const serverRoutes = new Hono<Env>()
  .get(
    '/v1/registry/mcp-servers',
    guarded({ summary: 'Catalog entries, values masked', tag, answers: { 200: json('All', ServerList) }, problems: ['mcp-disabled'] }),
    toolServersGuard,
    async (c) => {
      const { unit, token, call } = c.var
      const [{ items }, states] = await Promise.all([unit.peers.gateway.servers({ token }, call), readStates(c)])
      return c.json({ items: items.map((row) => viewOf(row, states)) })
    },
  )
  .get(
    '/v1/registry/mcp-servers/:name',
    guarded({
      summary: 'One catalog entry',
      tag,
      answers: { 200: json('The entry', ServerView) },
      problems: ['not-found', 'mcp-disabled'],
    }),
    toolServersGuard,
    existing(Named),
    async (c) => {
      const { unit, token, call } = c.var
      const [row, states] = await Promise.all([unit.peers.gateway.server({ token, ...c.req.valid('param') }, call), readStates(c)])
      return c.json(viewOf(row, states))
    },
  )
  .put('/v1/registry/mcp-servers/:name', put, toolServersGuard, newName(Named), jsonBody(limits.apiBody), body(CatalogEntry), async (c) => {
    const { unit, token, call } = c.var
    const { created, ...row } = await unit.peers.gateway.putServer({ token, ...c.req.valid('param'), entry: c.req.valid('json') }, call)
    return c.json(viewOf(row, {}), created ? 201 : 200)
  })
  .delete(
    '/v1/registry/mcp-servers/:name',
    guarded({
      summary: 'Remove a catalog entry; its grants stay',
      tag,
      answers: { 204: { description: 'Removed' } },
      problems: ['not-found', 'conflict', 'mcp-disabled', 'audit-unwritable'],
    }),
    toolServersGuard,
    existing(Named),
    async (c) => {
      await c.var.unit.peers.gateway.removeServer({ token: c.var.token, ...c.req.valid('param') }, c.var.call)
      return c.body(null, 204)
    },
  )
  .post(
    '/v1/registry/mcp-servers/:name/probe',
    guarded({
      summary: 'Connect to a tool server and list its tools',
      tag,
      answers: { 200: json('What it declares', ProbeResult) },
      problems: ['not-found', 'upstream-failed', 'mcp-disabled'],
    }),
    toolServersGuard,
    existing(Named),
    async (c) => c.json(await probeServer(c, c.req.valid('param').name)),
  )
