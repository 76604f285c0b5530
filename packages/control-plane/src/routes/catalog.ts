// Routes of the catalog of tool servers. An entry does not grant access.
import { CatalogEntry, type Digest, isServiceError, limits, PutServerAnswer, ServerName } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody } from '../guards/body.ts'
import { toolServersGuard } from '../guards/scope.ts'
import { guarded, json, withHeader } from '../openapi/operation.ts'
import { ifMatchHeader, ifNewHeader, quoteTag, readCondition } from './headers.ts'
import { body, existing, newName } from './validate.ts'

const tag = 'tool servers'
const Named = v.object({ name: ServerName })

/** Undefined if there is no such entry. */
const readTag = async (c: Context<Env>, name: ServerName): Promise<Digest | undefined> => {
  try {
    return (await c.var.unit.peers.gateway.server({ token: c.var.token, name }, c.var.call)).tag
  } catch (error) {
    if (isServiceError(error) && error.code === 'not-found') return undefined
    throw error
  }
}

const tagged = (description: string) => withHeader(json(description, PutServerAnswer), 'ETag', 'Changes with every value of the entry')

const put = guarded({
  summary: 'Create or replace a catalog entry; grants no access',
  tag,
  answers: { 200: tagged('Replaced; `grants` now refer to a different server'), 201: tagged('Created') },
  problems: ['unsupported-media-type', 'invalid', 'conflict', 'precondition-failed', 'mcp-disabled', 'audit-unwritable'],
  reads: [ifMatchHeader, ifNewHeader],
})

const remove = guarded({
  summary: 'Remove a catalog entry; its grants stay',
  tag,
  answers: { 204: { description: 'Removed' } },
  problems: ['not-found', 'conflict', 'precondition-failed', 'mcp-disabled', 'audit-unwritable'],
  reads: [ifMatchHeader],
})

export const catalogRoutes = new Hono<Env>()
  .put('/v1/registry/mcp-servers/:name', put, toolServersGuard, newName(Named), jsonBody(limits.apiBody), body(CatalogEntry), async (c) => {
    const { unit, token, call } = c.var
    const { name } = c.req.valid('param')
    const condition = await readCondition(c, () => readTag(c, name))
    const { created, ...row } = await unit.peers.gateway.putServer({ token, name, ...condition, entry: c.req.valid('json') }, call)
    c.header('ETag', quoteTag(row.tag))
    return c.json(row, created ? 201 : 200)
  })
  .delete('/v1/registry/mcp-servers/:name', remove, toolServersGuard, existing(Named), async (c) => {
    const { name } = c.req.valid('param')
    const condition = await readCondition(c, () => readTag(c, name))
    await c.var.unit.peers.gateway.removeServer({ token: c.var.token, name, ...condition }, c.var.call)
    return c.body(null, 204)
  })
