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
    const faults = degraded.length > 0 && { degraded: [...degraded] }
    if (serves) return c.json({ status: 'ready', sandbox: sandbox.status, ...faults } satisfies Ready)
    return c.json({ status: 'not-ready', sandbox: sandbox.status, ...faults } satisfies Ready, 503)
  })
