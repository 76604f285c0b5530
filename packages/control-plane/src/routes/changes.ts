// Changes are read: those that wait, those that were decided, one with its evidence.
import { ChangeID, ChangeList, ChangeView, Reach, WholeEvidence } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { guarded, json } from '../openapi/operation.ts'
import { HistoryQuery, PendingQuery } from './filters.ts'
import { existing, query } from './validate.ts'

const tag = 'changes'
const byId = existing(v.object({ id: ChangeID }))

export const changeRoutes = new Hono<Env>()
  .get(
    '/v1/changes/pending',
    guarded({
      summary: 'Changes that wait for a decision',
      tag,
      answers: { 200: json('A page', ChangeList) },
      problems: ['invalid', 'not-found'],
    }),
    query(PendingQuery),
    async (c) => c.json(await c.var.unit.peers.gateway.pending({ token: c.var.token, ...c.req.valid('query') }, c.var.call)),
  )
  .get(
    '/v1/changes/history',
    guarded({
      summary: 'Changes that were decided or refused',
      tag,
      answers: { 200: json('A page', ChangeList) },
      problems: ['invalid', 'not-found'],
    }),
    query(HistoryQuery),
    async (c) => c.json(await c.var.unit.peers.gateway.history({ token: c.var.token, ...c.req.valid('query') }, c.var.call)),
  )
  .get(
    '/v1/changes/:id',
    guarded({
      summary: 'One change, with what its sessions still have to do',
      tag,
      answers: { 200: json('The change', ChangeView) },
      problems: ['not-found'],
    }),
    byId,
    async (c) => c.json(await c.var.unit.peers.gateway.change({ token: c.var.token, ...c.req.valid('param') }, c.var.call)),
  )
  .get(
    '/v1/changes/:id/evidence',
    guarded({
      summary: 'The whole evidence of a change that shows it by its digest',
      tag,
      answers: { 200: json('The evidence', WholeEvidence) },
      problems: ['not-found'],
    }),
    byId,
    async (c) => c.json(await c.var.unit.peers.gateway.evidence({ token: c.var.token, ...c.req.valid('param') }, c.var.call)),
  )
  .get(
    '/v1/changes/:id/reach',
    guarded({
      summary: 'What the agent of a change can do, and could do after it',
      tag,
      answers: { 200: json('Its powers now and then', Reach) },
      problems: ['not-found'],
    }),
    byId,
    async (c) => c.json(await c.var.unit.peers.gateway.reach({ token: c.var.token, ...c.req.valid('param') }, c.var.call)),
  )
