// Routes of named tokens: list, create and revoke. The secret of a token is shown once, to its creator.
import { limits, MintedToken, NewToken, TokenList, TokenName } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody } from '../guards/body.ts'
import { guarded, json } from '../openapi/operation.ts'
import { markDurability, maybeNotDurable } from './headers.ts'
import { cutPage, PageQuery } from './query.ts'
import { body, existing, query } from './validate.ts'

const tag = 'tokens'

export const tokenRoutes = new Hono<Env>()
  .get(
    '/v1/tokens',
    guarded({ summary: 'Named tokens, without their secrets', tag, answers: { 200: json('A page', TokenList) }, problems: ['invalid'] }),
    query(PageQuery),
    async (c) => {
      const { items } = await c.var.unit.peers.gateway.tokens({ token: c.var.token }, c.var.call)
      return c.json(cutPage(items, c.req.valid('query'), ({ name }) => name))
    },
  )
  .post(
    '/v1/tokens',
    guarded({
      summary: 'Create a token; its secret is shown only once',
      tag,
      answers: { 201: json('The token with its secret', MintedToken) },
      problems: ['unsupported-media-type', 'invalid', 'conflict', 'audit-unwritable'],
    }),
    jsonBody(limits.decisionBody),
    body(NewToken),
    async (c) => {
      const { unit, token, call } = c.var
      return c.json(await unit.peers.gateway.createToken({ token, wanted: c.req.valid('json') }, call), 201)
    },
  )
  .delete(
    '/v1/tokens/:name',
    guarded({
      summary: 'Revoke a token; its open connections end',
      tag,
      answers: { 204: maybeNotDurable({ description: 'Revoked' }) },
      problems: ['not-found', 'conflict', 'audit-unwritable'],
    }),
    existing(v.object({ name: TokenName })),
    async (c) => {
      markDurability(c, await c.var.unit.peers.gateway.revokeToken({ token: c.var.token, ...c.req.valid('param') }, c.var.call))
      return c.body(null, 204)
    },
  )
