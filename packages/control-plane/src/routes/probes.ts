// Whether the unit lives and serves: for machines, without a token, without details.
import { Ready } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { json, text, unguarded } from '../openapi/operation.ts'

const ready = unguarded({
  summary: 'Readiness',
  tag: 'unit',
  answers: { 200: json('The unit serves; `degraded` names what is broken', Ready), 503: json('The unit cannot serve', Ready) },
})

export const probeRoutes = new Hono<Env>()
  .get('/healthz', unguarded({ summary: 'Liveness', tag: 'unit', answers: { 200: text('ok') } }), (c) => c.text('ok'))
  .get('/readyz', ready, async (c) => {
    const { serves, sandbox, degraded } = await c.var.unit.survey()
    return c.json<Ready>(
      { status: serves ? 'ready' : 'not-ready', sandbox: sandbox.status, ...(degraded.length > 0 && { degraded }) },
      serves ? 200 : 503,
    )
  })
