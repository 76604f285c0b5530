// The journal: its lines by filter, and its head, to be kept elsewhere.
import { AuditHead, AuditList } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { guarded, json } from '../openapi/operation.ts'
import { AuditQuery } from './filters.ts'
import { query } from './validate.ts'

const tag = 'audit'

export const auditRoutes = new Hono<Env>()
  .get(
    '/v1/audit',
    guarded({ summary: 'Lines of the journal', tag, answers: { 200: json('A page', AuditList) }, problems: ['invalid', 'not-found'] }),
    query(AuditQuery),
    async (c) => c.json(await c.var.unit.peers.gateway.audit({ token: c.var.token, ...c.req.valid('query') }, c.var.call)),
  )
  .get(
    '/v1/audit/head',
    guarded({
      summary: 'The last line, the last signature and the public key',
      tag,
      answers: { 200: json('The head', AuditHead) },
      problems: ['audit-unwritable'],
    }),
    async (c) => c.json(await c.var.unit.peers.gateway.auditHead({ token: c.var.token }, c.var.call)),
  )
