// Sessions and how their sandboxes fare.
import { SessionList } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { guarded, json } from '../openapi/operation.ts'

export const sessionRoutes = new Hono<Env>().get(
  '/v1/sessions',
  guarded({ summary: 'Sessions', tag: 'agents', answers: { 200: json('All', SessionList) } }),
  async (c) => {
    const { unit, token, call } = c.var
    await unit.peers.gateway.permit({ token, route: 'sessions' }, call)
    return c.json(await unit.peers.runner.sessions({}, call))
  },
)
