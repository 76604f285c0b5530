// Changes: submitted, listed, decided. Each of these ends at the gateway, which alone judges.
import { Change, ChangeID, ChangeList, DecisionBody, limits, type Submission, SubmitAnswer, SubmitBody } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody } from '../guards/body.ts'
import { guarded, json } from '../openapi/operation.ts'
import { PageQuery } from './page.ts'
import { body, existing, query } from './validate.ts'

const tag = 'changes'
const byId = existing(v.object({ id: ChangeID }))

const submission = (summary: string) =>
  guarded({
    summary,
    tag,
    answers: { 202: json('Held, or taken in another state', SubmitAnswer) },
    problems: ['unsupported-media-type', 'invalid', 'change-refused', 'not-found', 'conflict', 'queue-full', 'audit-unwritable'],
  })

const submit = (c: Context<Env>, wanted: Submission): Promise<SubmitAnswer> => {
  const { unit, token, call } = c.var
  return unit.peers.gateway.submit({ token, submission: wanted }, call)
}

const decision = guarded({
  summary: 'Approve or reject a held change',
  tag,
  answers: { 200: json('The change after the decision', Change) },
  problems: [
    'unsupported-media-type',
    'invalid',
    'not-found',
    'self-approval',
    'change-already-decided',
    'change-stale',
    'digest-mismatch',
    'conflict',
    'audit-unwritable',
  ],
})

export const changeRoutes = new Hono<Env>()
  .post('/v1/ui/config/change', submission('Submit a change'), jsonBody(limits.apiBody), body(SubmitBody), async (c) =>
    c.json(await submit(c, c.req.valid('json')), 202),
  )
  .post(
    '/v1/changes',
    submission('Submit a change (the same as /v1/ui/config/change)'),
    jsonBody(limits.apiBody),
    body(SubmitBody),
    async (c) => c.json(await submit(c, c.req.valid('json')), 202),
  )
  .get(
    '/v1/changes/pending',
    guarded({ summary: 'Changes that wait for a decision', tag, answers: { 200: json('A page', ChangeList) }, problems: ['invalid'] }),
    query(PageQuery),
    async (c) => c.json(await c.var.unit.peers.gateway.pending({ token: c.var.token, ...c.req.valid('query') }, c.var.call)),
  )
  .get(
    '/v1/changes/history',
    guarded({ summary: 'Changes that were decided or refused', tag, answers: { 200: json('A page', ChangeList) }, problems: ['invalid'] }),
    query(PageQuery),
    async (c) => c.json(await c.var.unit.peers.gateway.history({ token: c.var.token, ...c.req.valid('query') }, c.var.call)),
  )
  .get(
    '/v1/changes/:id',
    guarded({ summary: 'One change', tag, answers: { 200: json('The change', Change) }, problems: ['not-found'] }),
    byId,
    async (c) => c.json(await c.var.unit.peers.gateway.change({ token: c.var.token, ...c.req.valid('param') }, c.var.call)),
  )
  .post('/v1/changes/:id/decision', decision, byId, jsonBody(limits.decisionBody), body(DecisionBody), async (c) => {
    const { unit, token, call } = c.var
    return c.json(await unit.peers.gateway.decide({ token, ...c.req.valid('param'), ...c.req.valid('json') }, call))
  })
