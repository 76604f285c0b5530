// Routes of the unit itself: status, history, metrics, seal, liveness, readiness, and the OpenAPI document.
import { Ready, SealProof, Status, StatusHistory } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { contentType, mergeMetrics } from '../metrics/merge.ts'
import { guarded, json, text, unguarded } from '../openapi/operation.ts'
import { readStatus } from './status.ts'

const tag = 'unit'

export const unitRoutes = new Hono<Env>()
  .get('/v1/status', guarded({ summary: 'Status of every component', tag, answers: { 200: json('Status', Status) } }), async (c) =>
    c.json(await readStatus(c)),
  )
  .get(
    '/v1/status/history',
    guarded({ summary: 'Metrics of the last hour, for plots', tag, answers: { 200: json('Samples, oldest first', StatusHistory) } }),
    async (c) => {
      const { unit, token, call } = c.var
      await unit.peers.gateway.permit({ token, route: 'metrics' }, call)
      return c.json(unit.history.shown())
    },
  )
  .get(
    '/metrics',
    guarded({ summary: 'Metrics of all processes', tag, answers: { 200: text('Prometheus text exposition') } }),
    async (c) => {
      const { unit, token, call } = c.var
      await unit.peers.gateway.permit({ token, route: 'metrics' }, call)
      return c.body(await mergeMetrics(unit, call), 200, { 'Content-Type': contentType })
    },
  )

/** Liveness and readiness for orchestrators, without a token and without details. */
const ready = unguarded({
  summary: 'Readiness',
  tag: 'unit',
  answers: { 200: json('The unit is ready; `degraded` lists broken parts', Ready), 503: json('The unit is not ready', Ready) },
})

export const probeRoutes = new Hono<Env>()
  .get('/healthz', unguarded({ summary: 'Liveness', tag: 'unit', answers: { 200: text('ok') } }), (c) => c.text('ok'))
  .get('/readyz', ready, async (c) => {
    const { serves, sandbox, degraded } = await c.var.unit.survey()
    const faults = degraded.length > 0 && { degraded: [...degraded] }
    if (serves) return c.json({ status: 'ready', sandbox: sandbox.status, ...faults } satisfies Ready)
    return c.json({ status: 'not-ready', sandbox: sandbox.status, ...faults } satisfies Ready, 503)
  })

/** Proves the seal of sandboxes again: authorized by the gateway, run by the runner. */
export const sealRoutes = new Hono<Env>().post(
  '/v1/sandbox/probe',
  guarded({
    summary: 'Prove the seal by launching trial sandboxes',
    tag: 'unit',
    answers: { 200: json('Each control with its result', SealProof) },
    problems: ['no-sandbox'],
  }),
  async (c) => {
    const { unit, token, call } = c.var
    await unit.peers.gateway.permit({ token, route: 'probe' }, call)
    return c.json(await unit.peers.runner.proveSeal({}, call))
  },
)

/** `read` returns the document of all routes, including this one. */
export const documentRoutes = (read: () => Promise<object>): Hono<Env> =>
  new Hono<Env>().get(
    '/v1/openapi.json',
    guarded({
      summary: 'This document',
      tag: 'unit',
      answers: { 200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } } },
    }),
    async (c) => c.json(await read()),
  )
