// Routes of the journal: filtered lines, the head, verification, and records of tool lists and calls.
import { AuditHead, AuditList, AuditVerdict, CallList, ServiceError } from '@gatehouse/contracts'
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { guarded, json } from '../openapi/operation.ts'
import { AuditQuery, CallQuery } from './query.ts'
import { query } from './validate.ts'

const tag = 'audit'

export const auditRoutes = new Hono<Env>()
  .get(
    '/v1/audit',
    guarded({ summary: 'Audit log', tag, answers: { 200: json('A page', AuditList) }, problems: ['invalid', 'not-found'] }),
    query(AuditQuery),
    async (c) => c.json(await c.var.unit.peers.gateway.audit({ token: c.var.token, ...c.req.valid('query') }, c.var.call)),
  )
  .get(
    '/v1/audit/calls',
    guarded({
      summary: 'Records of tool lists and calls, newest first; an empty page with a cursor is not the end',
      tag,
      answers: { 200: json('A page', CallList) },
      problems: ['invalid', 'mcp-disabled'],
    }),
    query(CallQuery),
    async (c) => {
      const { unit, token, call } = c.var
      const { gateway, broker } = unit.peers
      const { groups } = await gateway.permit({ token, route: 'calls' }, call)
      if (broker === null) throw new ServiceError('mcp-disabled')
      return c.json(await broker.records({ ...c.req.valid('query'), ...(groups !== undefined && { groups }) }, call))
    },
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
  .get(
    '/v1/audit/verify',
    guarded({
      summary: 'Verify the whole journal: chain, signatures, and that it reaches the last line',
      tag,
      answers: { 200: json('The outcome', AuditVerdict) },
      problems: ['deadline'],
    }),
    async (c) => c.json(await c.var.unit.peers.gateway.auditVerify({ token: c.var.token }, c.var.call)),
  )
