// Routes of models: providers, usage, and checks.
import { ModelCallList, ModelList, ModelProvider, ProviderCheck, ServiceError } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { groupsOf, sees } from '../guards/scope.ts'
import { guarded, json } from '../openapi/operation.ts'
import { ModelCallQuery } from './query.ts'
import { existing, query } from './validate.ts'

const tag = 'models'
const byName = existing(v.object({ provider: ModelProvider }))

export const modelRoutes = new Hono<Env>()
  .get(
    '/v1/models',
    guarded({ summary: 'Available model providers, and tokens used today', tag, answers: { 200: json('All', ModelList) } }),
    async (c) => {
      const { unit, token, call } = c.var
      const principal = await unit.peers.gateway.permit({ token, route: 'models' }, call)
      const { items, spending } = (await unit.peers.modelProxy?.providers({}, call)) ?? { items: [], spending: [] }
      return c.json({ items, spending: spending.filter(({ agentGroupID }) => sees(principal, agentGroupID)) })
    },
  )
  .get(
    '/v1/audit/model-calls',
    guarded({
      summary: 'Model call records, newest first, without contents',
      tag,
      answers: { 200: json('A page', ModelCallList) },
      problems: ['invalid'],
    }),
    query(ModelCallQuery),
    async (c) => {
      const { unit, token, call } = c.var
      const principal = await unit.peers.gateway.permit({ token, route: 'model-calls' }, call)
      const { agentGroupID, ...filter } = c.req.valid('query')
      const agentGroupIDs = groupsOf(principal, agentGroupID)
      const asked = { ...filter, ...(agentGroupIDs !== undefined && { agentGroupIDs }) }
      return c.json((await unit.peers.modelProxy?.records(asked, call)) ?? { items: [] })
    },
  )
  .post(
    '/v1/models/:provider/check',
    guarded({
      summary: 'Check that a provider accepts the key; uses no tokens',
      tag,
      answers: { 200: json('The outcome', ProviderCheck) },
      problems: ['not-found'],
    }),
    byName,
    async (c) => {
      const { unit, token, call } = c.var
      await unit.peers.gateway.permit({ token, route: 'probe' }, call)
      if (unit.peers.modelProxy === null)
        throw new ServiceError('not-found', {
          detail: 'this unit has no key of a model provider',
          hint: 'set a key, such as ANTHROPIC_API_KEY, and restart the unit',
        })
      return c.json(await unit.peers.modelProxy.check(c.req.valid('param'), call))
    },
  )
