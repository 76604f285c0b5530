// Routes of changes: list, read, submit, preview, revert, approve, reject, withdraw and retry.
import {
  Change,
  ChangeID,
  ChangeList,
  ChangeView,
  type Code,
  DecisionBody,
  limits,
  Preview,
  Reach,
  RetryBody,
  RevertBody,
  SubmitAnswer,
  SubmitBody,
  WholeEvidence,
  WithdrawBody,
} from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody, optionalJsonBody } from '../guards/body.ts'
import { bodyOptional, guarded, json, withHeader } from '../openapi/operation.ts'
import { idempotencyHeader, markDurability, markReplay, maybeNotDurable, readAttempt } from './headers.ts'
import { HistoryQuery, PendingQuery } from './query.ts'
import { body, existing, query } from './validate.ts'

const tag = 'changes'
const byId = existing(v.object({ id: ChangeID }))

export const changeRoutes = new Hono<Env>()
  .get(
    '/v1/changes/pending',
    guarded({
      summary: 'Pending changes',
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
      summary: 'Decided and refused changes',
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
      summary: 'One change, with its rollout to sessions',
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
      summary: 'Complete evidence of a change that shows only its digest',
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
      summary: 'Effective access of the agent before and after a change',
      tag,
      answers: { 200: json('Effective access before and after', Reach) },
      problems: ['not-found'],
    }),
    byId,
    async (c) => c.json(await c.var.unit.peers.gateway.reach({ token: c.var.token, ...c.req.valid('param') }, c.var.call)),
  )

/** Both paths share idempotency keys. */
const route = 'POST /v1/changes'

const judged = ['unsupported-media-type', 'invalid', 'change-refused', 'not-found', 'conflict', 'queue-full', 'audit-unwritable'] as const

const submission = (summary: string) =>
  guarded({
    summary,
    tag,
    answers: {
      200: json('With `dryRun`: what would become of it', Preview),
      202: withHeader(json('Held, or in another state', SubmitAnswer), 'Idempotent-Replay', '`true` if nothing was repeated'),
    },
    problems: judged,
    reads: [idempotencyHeader],
  })

const submit = async (c: Context<Env>, wanted: v.InferOutput<typeof SubmitBody>): Promise<Response> => {
  const { unit, token, call } = c.var
  const { dryRun = false, ...asked } = wanted
  if (dryRun) return c.json(await unit.peers.gateway.preview({ token, submission: asked }, call), 200)
  const attempt = readAttempt(c)
  const idempotency = attempt === undefined ? undefined : { route, ...attempt }
  const { replayed, ...submitted } = await unit.peers.gateway.submit({ token, submission: asked, idempotency }, call)
  markReplay(c, replayed)
  return c.json(submitted, 202)
}

export const submissionRoutes = new Hono<Env>()
  .post('/v1/ui/config/change', submission('Submit a change'), jsonBody(limits.apiBody), body(SubmitBody), async (c) =>
    submit(c, c.req.valid('json')),
  )
  .post(
    '/v1/changes',
    submission('Submit a change (the same as /v1/ui/config/change)'),
    jsonBody(limits.apiBody),
    body(SubmitBody),
    async (c) => submit(c, c.req.valid('json')),
  )
  .post(
    '/v1/changes/:id/revert',
    guarded({ summary: 'Submit the inverse of an applied change', tag, answers: { 202: json('Held', SubmitAnswer) }, problems: judged }),
    existing(v.object({ id: ChangeID })),
    optionalJsonBody(limits.decisionBody),
    body(RevertBody),
    bodyOptional,
    async (c) => {
      const { unit, token, call } = c.var
      return c.json(await unit.peers.gateway.revert({ token, ...c.req.valid('param'), ...c.req.valid('json') }, call), 202)
    },
  )

/** Routes to approve, reject, withdraw and retry changes. */

const after = json('The change afterwards', Change)

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
      maybeNotDurable(after),
    ),
    byId,
    jsonBody(limits.decisionBody),
    body(DecisionBody),
    async (c) => {
      const { unit, token, call } = c.var
      return c.json(markDurability(c, await unit.peers.gateway.decide({ token, ...c.req.valid('param'), ...c.req.valid('json') }, call)))
    },
  )
  .post(
    '/v1/changes/:id/withdraw',
    decision('Withdraw your own held change', ['change-already-decided']),
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
    decision('Retry a failed apply', ['change-refused']),
    byId,
    optionalJsonBody(limits.decisionBody),
    body(RetryBody),
    bodyOptional,
    async (c) => {
      const { unit, token, call } = c.var
      return c.json(await unit.peers.gateway.retry({ token, ...c.req.valid('param'), ...c.req.valid('json') }, call))
    },
  )
