// What the gateway keeps: the journal, agent groups, grants.
import { AuditList, GrantList, GroupList } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { guarded, json } from '../openapi/operation.ts'
import { cutPage, PageQuery } from './page.ts'
import { query } from './validate.ts'

export const registryRoutes = new Hono<Env>()
  .get(
    '/v1/audit',
    guarded({ summary: 'Lines of the journal', tag: 'audit', answers: { 200: json('A page', AuditList) }, problems: ['invalid'] }),
    query(PageQuery),
    async (c) => c.json(await c.var.unit.peers.gateway.audit({ token: c.var.token, ...c.req.valid('query') }, c.var.call)),
  )
  .get(
    '/v1/agent-groups',
    guarded({ summary: 'Agent groups', tag: 'agents', answers: { 200: json('A page', GroupList) }, problems: ['invalid'] }),
    query(PageQuery),
    async (c) => {
      const { items } = await c.var.unit.peers.gateway.groups({ token: c.var.token }, c.var.call)
      return c.json(cutPage(items, c.req.valid('query'), ({ id }) => id))
    },
  )
  .get(
    '/v1/grants',
    guarded({ summary: 'Grants of tool servers', tag: 'agents', answers: { 200: json('A page', GrantList) }, problems: ['invalid'] }),
    query(PageQuery),
    async (c) => {
      const { items } = await c.var.unit.peers.gateway.grants({ token: c.var.token }, c.var.call)
      return c.json(cutPage(items, c.req.valid('query'), ({ agentGroupID, server, changeID }) => `${agentGroupID} ${server} ${changeID}`))
    },
  )
