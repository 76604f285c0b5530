// The seal of sandboxes, proved anew: permitted by the gateway, done by the runner.
import { SealProof } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { guarded, json } from '../openapi/operation.ts'

export const sealRoutes = new Hono<Env>().post(
  '/v1/sandbox/probe',
  guarded({
    summary: 'Proves the seal: launches trial sandboxes and looks from inside',
    tag: 'unit',
    answers: { 200: json('Each wall with its verdict', SealProof) },
    problems: ['no-sandbox'],
  }),
  async (c) => {
    const { unit, token, call } = c.var
    await unit.peers.gateway.permit({ token, route: 'probe' }, call)
    return c.json(await unit.peers.runner.proveSeal({}, call))
  },
)
