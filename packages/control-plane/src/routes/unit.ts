// The unit about itself: status, its last hour, metrics, the document of this API.
import { Status, StatusHistory } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { readStatus } from '../health/status.ts'
import { contentType, mergeMetrics } from '../metrics/merge.ts'
import { guarded, json, text } from '../openapi/operation.ts'

const tag = 'unit'

export const unitRoutes = new Hono<Env>()
  .get('/v1/status', guarded({ summary: 'Status of every part', tag, answers: { 200: json('Status', Status) } }), async (c) =>
    c.json(await readStatus(c)),
  )
  .get(
    '/v1/status/history',
    guarded({ summary: 'The last hour in numbers, for plots', tag, answers: { 200: json('Samples, oldest first', StatusHistory) } }),
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
