// Changes are asked for: submitted, tried out, inverted. The gateway judges each of them.
import { ChangeID, limits, Preview, RevertBody, SubmitAnswer, SubmitBody } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody, optionalJsonBody } from '../guards/body.ts'
import { bodyOptional, guarded, json, withHeader } from '../openapi/operation.ts'
import { idempotencyHeader, markReplay, readAttempt } from './idempotency.ts'
import { body, existing } from './validate.ts'

const tag = 'changes'
/** Both paths are one route: an attempt at the one is known at the other. */
const route = 'POST /v1/changes'

const judged = ['unsupported-media-type', 'invalid', 'change-refused', 'not-found', 'conflict', 'queue-full', 'audit-unwritable'] as const

const submission = (summary: string) =>
  guarded({
    summary,
    tag,
    answers: {
      200: json('With `dryRun`: what would become of it', Preview),
      202: withHeader(json('Held, or taken in another state', SubmitAnswer), 'Idempotent-Replay', '`true` where nothing was done again'),
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
