// Changes are decided: approved, rejected, taken back, tried again.
import { Change, ChangeID, type Code, DecisionBody, limits, RetryBody, WithdrawBody } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody, optionalJsonBody } from '../guards/body.ts'
import { bodyOptional, guarded, json } from '../openapi/operation.ts'
import { maybeUnkept, tellKept } from './kept.ts'
import { body, existing } from './validate.ts'

const byId = existing(v.object({ id: ChangeID }))

const after = json('The change after it', Change)

const decision = (summary: string, problems: readonly Code[], answer = after) =>
  guarded({
    summary,
    tag: 'changes',
    answers: { 200: answer },
    problems: ['unsupported-media-type', 'invalid', 'not-found', 'conflict', 'audit-unwritable', ...problems],
  })

export const decisionRoutes = new Hono<Env>()
  .post(
    '/v1/changes/:id/decision',
    decision(
      'Approve or reject a held change',
      ['self-approval', 'change-already-decided', 'change-stale', 'digest-mismatch', 'change-refused'],
      maybeUnkept(after),
    ),
    byId,
    jsonBody(limits.decisionBody),
    body(DecisionBody),
    async (c) => {
      const { unit, token, call } = c.var
      return c.json(tellKept(c, await unit.peers.gateway.decide({ token, ...c.req.valid('param'), ...c.req.valid('json') }, call)))
    },
  )
  .post(
    '/v1/changes/:id/withdraw',
    decision('Take back a held change that one has submitted', ['change-already-decided']),
    byId,
    optionalJsonBody(limits.decisionBody),
    body(WithdrawBody),
    bodyOptional,
    async (c) => {
      const { unit, token, call } = c.var
      return c.json(await unit.peers.gateway.withdraw({ token, ...c.req.valid('param'), ...c.req.valid('json') }, call))
    },
  )
  .post(
    '/v1/changes/:id/retry',
    decision('Apply an approved change whose apply failed', ['change-refused']),
    byId,
    optionalJsonBody(limits.decisionBody),
    body(RetryBody),
    bodyOptional,
    async (c) => {
      const { unit, token, call } = c.var
      return c.json(await unit.peers.gateway.retry({ token, ...c.req.valid('param'), ...c.req.valid('json') }, call))
    },
  )
