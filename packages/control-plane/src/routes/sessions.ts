// Routes of sessions: list, show, terminate, cancel, purge and resume.
import { isServiceError, limits, type PermitRoute, SessionID, SessionList, SessionLogs, TerminateBody } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { optionalJsonBody } from '../guards/body.ts'
import { groupsOf } from '../guards/scope.ts'
import { bodyOptional, guarded, json } from '../openapi/operation.ts'
import { markDurability, maybeNotDurable } from './headers.ts'
import { PageLimit, SessionQuery } from './query.ts'
import { body, existing, query } from './validate.ts'

/** Whether the runner has removed the session. */
const isGone = (error: unknown): boolean => isServiceError(error) && error.code === 'not-found'

/** False if the runner has not ended the sandbox. The session stays closed even if the runner is down. */
const terminateSession = async (c: Context<Env>, wanted: { session: SessionID; reason?: string | undefined }): Promise<boolean> => {
  const { unit, token, call } = c.var
  const { gateway, runner } = unit.peers
  markDurability(c, await gateway.terminate({ token, ...wanted }, call))
  try {
    await runner.terminate({ session: wanted.session }, call)
    return true
  } catch (error) {
    if (isGone(error)) return true
    unit.log.warn('the session is closed, but the runner has not ended its sandbox', { session: wanted.session, error })
    return false
  }
}

const tag = 'agents'
const byId = existing(v.object({ id: SessionID }))

/** Returns the session if the gateway authorizes the action. */
const permitted = async (c: Context<Env>, route: PermitRoute, session: SessionID): Promise<SessionID> => {
  const { unit, token, call } = c.var
  await unit.peers.gateway.permit({ token, route, session }, call)
  return session
}

export const sessionRoutes = new Hono<Env>()
  .get(
    '/v1/sessions',
    guarded({ summary: 'Open sessions', tag, answers: { 200: json('A page', SessionList) }, problems: ['invalid'] }),
    query(SessionQuery),
    async (c) => {
      const { unit, token, call } = c.var
      const principal = await unit.peers.gateway.permit({ token, route: 'sessions' }, call)
      const { agentGroupID, ...filter } = c.req.valid('query')
      const agentGroupIDs = groupsOf(principal, agentGroupID)
      return c.json(await unit.peers.runner.sessions({ ...filter, ...(agentGroupIDs !== undefined && { agentGroupIDs }) }, call))
    },
  )
  .post(
    '/v1/sessions/:id/terminate',
    guarded({
      summary: 'Terminate a session; it is denied everything from the response on',
      tag,
      answers: {
        202: maybeNotDurable({ description: 'Terminated; its sandbox ends as soon as the runner answers' }),
        204: maybeNotDurable({ description: 'Terminated; its sandbox has ended' }),
      },
      problems: ['unsupported-media-type', 'invalid', 'not-found', 'audit-unwritable'],
    }),
    byId,
    optionalJsonBody(limits.decisionBody),
    body(TerminateBody),
    bodyOptional,
    async (c) => c.body(null, (await terminateSession(c, { session: c.req.valid('param').id, ...c.req.valid('json') })) ? 204 : 202),
  )
  .post(
    '/v1/sessions/:id/resume',
    guarded({
      summary: 'Resume a parked session',
      tag,
      answers: { 204: { description: 'Resumed' } },
      problems: ['not-found', 'conflict', 'no-sandbox', 'frozen', 'audit-unwritable'],
    }),
    byId,
    async (c) => {
      const session = await permitted(c, 'resume', c.req.valid('param').id)
      await c.var.unit.peers.runner.resume({ session }, c.var.call)
      return c.body(null, 204)
    },
  )
  .post(
    '/v1/sessions/:id/cancel',
    guarded({
      summary: 'Cancel what the agent is doing; the message is not retried',
      tag,
      answers: { 204: { description: 'Stopped' } },
      problems: ['not-found', 'conflict'],
    }),
    byId,
    async (c) => {
      const session = await permitted(c, 'cancel', c.req.valid('param').id)
      await c.var.unit.peers.runner.cancel({ session }, c.var.call)
      return c.body(null, 204)
    },
  )
  .post(
    '/v1/sessions/:id/purge',
    guarded({
      summary: 'Delete the messages of a closed session and their key',
      tag,
      answers: { 204: { description: 'Gone' } },
      problems: ['not-found', 'conflict', 'audit-unwritable'],
    }),
    byId,
    async (c) => {
      const session = await permitted(c, 'purge', c.req.valid('param').id)
      await c.var.unit.peers.runner.purge({ session }, c.var.call)
      return c.body(null, 204)
    },
  )
  .get(
    '/v1/sessions/:id/logs',
    guarded({
      summary: "Latest output of a session's sandboxes",
      tag,
      answers: { 200: json('Lines, oldest first', SessionLogs) },
      problems: ['invalid', 'not-found'],
    }),
    byId,
    query(v.strictObject({ limit: v.optional(PageLimit, '200') })),
    async (c) => {
      const session = await permitted(c, 'logs', c.req.valid('param').id)
      return c.json(await c.var.unit.peers.runner.logs({ session, ...c.req.valid('query') }, c.var.call))
    },
  )
