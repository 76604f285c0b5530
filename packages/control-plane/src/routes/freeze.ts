// Routes of the emergency stop: freeze and unfreeze the unit or one group, with a reason.
import { Freeze, FreezeBody, FreezeList, limits } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { jsonBody } from '../guards/body.ts'
import { guarded, json } from '../openapi/operation.ts'
import { markDurability, maybeNotDurable } from './headers.ts'
import { body, query } from './validate.ts'

const tag = 'freeze'

export const freezeRoutes = new Hono<Env>()
  .get('/v1/freeze', guarded({ summary: 'Active freezes and their reasons', tag, answers: { 200: json('All', FreezeList) } }), async (c) =>
    c.json(await c.var.unit.peers.gateway.freezes({ token: c.var.token }, c.var.call)),
  )
  .post(
    '/v1/freeze',
    guarded({
      summary: 'Stop launches, calls, lists, model requests and applies',
      tag,
      answers: { 200: maybeNotDurable(json('Frozen', Freeze)) },
      problems: ['unsupported-media-type', 'invalid', 'not-found', 'conflict', 'audit-unwritable'],
    }),
    jsonBody(limits.decisionBody),
    body(FreezeBody),
    async (c) =>
      c.json(markDurability(c, await c.var.unit.peers.gateway.freeze({ token: c.var.token, ...c.req.valid('json') }, c.var.call))),
  )
  .delete(
    '/v1/freeze',
    guarded({
      summary: 'Lift a freeze',
      tag,
      answers: { 204: { description: 'Lifted' } },
      problems: ['invalid', 'not-found', 'conflict', 'audit-unwritable'],
    }),
    query(FreezeBody),
    async (c) => {
      await c.var.unit.peers.gateway.unfreeze({ token: c.var.token, ...c.req.valid('query') }, c.var.call)
      return c.body(null, 204)
    },
  )
