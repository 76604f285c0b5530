// Sessions and how their sandboxes fare; ended and woken by people.
import { limits, SessionID, SessionList, TerminateBody } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { optionalJsonBody } from '../guards/body.ts'
import { sees } from '../guards/scope.ts'
import { bodyOptional, guarded, json } from '../openapi/operation.ts'
import { terminateSession } from './terminate.ts'
import { body, existing } from './validate.ts'

const tag = 'agents'
const byId = existing(v.object({ id: SessionID }))

export const sessionRoutes = new Hono<Env>()
  .get('/v1/sessions', guarded({ summary: 'Sessions', tag, answers: { 200: json('All', SessionList) } }), async (c) => {
    const { unit, token, call } = c.var
    const principal = await unit.peers.gateway.permit({ token, route: 'sessions' }, call)
    const { items } = await unit.peers.runner.sessions({}, call)
    return c.json({ items: items.filter(({ agentGroupID }) => sees(principal, agentGroupID)) })
  })
  .post(
    '/v1/sessions/:id/terminate',
    guarded({
      summary: 'Close a session: from the answer on nothing is allowed to it',
      tag,
      answers: {
        202: { description: 'Closed; its sandbox ends as soon as the runner answers' },
        204: { description: 'Closed, and its sandbox is gone' },
      },
      problems: ['unsupported-media-type', 'invalid', 'not-found', 'audit-unwritable'],
    }),
    byId,
    optionalJsonBody(limits.decisionBody),
    body(TerminateBody),
    bodyOptional,
    async (c) => c.body(null, (await terminateSession(c, { session: c.req.valid('param').id, ...c.req.valid('json') })) ? 204 : 202),
  )
  .post(
    '/v1/sessions/:id/resume',
    guarded({
      summary: 'Let a parked session work again',
      tag,
      answers: { 204: { description: 'It works again' } },
      problems: ['not-found', 'conflict', 'no-sandbox', 'frozen', 'audit-unwritable'],
    }),
    byId,
    async (c) => {
      const { unit, token, call } = c.var
      const session = c.req.valid('param').id
      await unit.peers.gateway.permit({ token, route: 'resume', session }, call)
      await unit.peers.runner.resume({ session }, call)
      return c.body(null, 204)
    },
  )
