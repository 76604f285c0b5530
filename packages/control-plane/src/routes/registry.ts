// Routes of groups, wirings and grants, and explanations of authorization.
import { AgentGroup, AgentGroupID, Explanation, GrantList, GroupList, WiringList } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { guarded, json } from '../openapi/operation.ts'
import { cutPage, GroupQuery, PageQuery } from './query.ts'
import { existing, query } from './validate.ts'

const tag = 'agents'

const ExplainQuery = v.strictObject({ agentGroupID: AgentGroupID, tool: v.pipe(v.string(), v.minLength(1), v.maxLength(256)) })

const groupRoutes = new Hono<Env>()
  .get(
    '/v1/agent-groups',
    guarded({ summary: 'Agent groups', tag, answers: { 200: json('A page', GroupList) }, problems: ['invalid'] }),
    query(PageQuery),
    async (c) => {
      const { items } = await c.var.unit.peers.gateway.groups({ token: c.var.token }, c.var.call)
      return c.json(cutPage(items, c.req.valid('query'), ({ id }) => id))
    },
  )
  .get(
    '/v1/agent-groups/:id',
    guarded({ summary: 'One agent group', tag, answers: { 200: json('The group', AgentGroup) }, problems: ['not-found'] }),
    existing(v.object({ id: AgentGroupID })),
    async (c) => c.json(await c.var.unit.peers.gateway.group({ token: c.var.token, agentGroupID: c.req.valid('param').id }, c.var.call)),
  )

export const registryRoutes = new Hono<Env>()
  .route('/', groupRoutes)
  .get(
    '/v1/wirings',
    guarded({
      summary: 'Channel addresses and the groups they are wired to',
      tag,
      answers: { 200: json('A page', WiringList) },
      problems: ['invalid', 'not-found'],
    }),
    query(GroupQuery),
    async (c) => {
      const { agentGroupID, ...page } = c.req.valid('query')
      const { items } = await c.var.unit.peers.gateway.wirings({ token: c.var.token, agentGroupID }, c.var.call)
      return c.json(cutPage(items, page, ({ channel, address }) => `${channel} ${address}`))
    },
  )
  .get(
    '/v1/grants',
    guarded({
      summary: 'Tool server grants and their state',
      tag,
      answers: { 200: json('A page', GrantList) },
      problems: ['invalid', 'not-found'],
    }),
    query(GroupQuery),
    async (c) => {
      const { agentGroupID, ...page } = c.req.valid('query')
      const { items } = await c.var.unit.peers.gateway.grants({ token: c.var.token, agentGroupID }, c.var.call)
      return c.json(cutPage(items, page, (grant) => `${grant.agentGroupID} ${grant.server} ${grant.changeID}`))
    },
  )
  .get(
    '/v1/explain',
    guarded({
      summary: 'Explain which grant, pin, limit or freeze decides a call',
      tag,
      answers: { 200: json('The steps to the decision', Explanation) },
      problems: ['invalid', 'not-found'],
    }),
    query(ExplainQuery),
    async (c) => c.json(await c.var.unit.peers.gateway.explain({ token: c.var.token, ...c.req.valid('query') }, c.var.call)),
  )
