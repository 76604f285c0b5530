// Routes of messages to and from agents. The gateway authorizes, the runner delivers.
import { AgentGroupID, ChatMessages, ChatSendAnswer, ChatSendBody, ConversationID, limits } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody } from '../guards/body.ts'
import { requireGroup } from '../guards/scope.ts'
import { guarded, json, withHeader } from '../openapi/operation.ts'
import { idempotencyHeader, markReplay, readAttempt } from './headers.ts'
import { PageLimit, Sequence } from './query.ts'
import { body, existing, query } from './validate.ts'

const tag = 'chat'

const MessagesQuery = v.strictObject({
  after: v.optional(Sequence),
  limit: v.optional(PageLimit, String(limits.chatPage)),
  conversation: v.optional(ConversationID),
})

const send = guarded({
  summary: 'Send a message to an agent group; the reply comes later',
  tag,
  answers: { 202: withHeader(json('Taken', ChatSendAnswer), 'Idempotent-Replay', '`true` if nothing was sent again') },
  problems: ['unsupported-media-type', 'invalid', 'not-found', 'conflict', 'queue-full', 'no-sandbox', 'frozen', 'audit-unwritable'],
  reads: [idempotencyHeader],
})

/** Returns the name of the authorized principal. */
const permit = async (c: Context<Env>, agentGroupID: AgentGroupID): Promise<string> => {
  const { unit, token, call } = c.var
  const principal = await unit.peers.gateway.permit({ token, route: 'chat', agentGroupID }, call)
  requireGroup(principal, agentGroupID)
  return principal.name
}

export const chatRoutes = new Hono<Env>()
  .post('/v1/ui/chat/send', send, jsonBody(limits.apiBody), body(ChatSendBody), async (c) => {
    const message = c.req.valid('json')
    const attempt = readAttempt(c)
    const principal = await permit(c, message.agentGroupID)
    const idempotency = attempt === undefined ? undefined : { principal, ...attempt }
    const { replayed, ...taken } = await c.var.unit.peers.runner.send({ ...message, idempotency }, c.var.call)
    markReplay(c, replayed)
    return c.json(taken, 202)
  })
  .get(
    '/v1/ui/chat/:agentGroupID/messages',
    guarded({
      summary: 'Messages of an agent group, ascending; reading does not remove them',
      tag,
      answers: { 200: json('Messages', ChatMessages) },
      problems: ['invalid', 'not-found'],
    }),
    existing(v.object({ agentGroupID: AgentGroupID })),
    query(MessagesQuery),
    async (c) => {
      const group = c.req.valid('param')
      await permit(c, group.agentGroupID)
      return c.json(await c.var.unit.peers.runner.messages({ ...group, ...c.req.valid('query') }, c.var.call))
    },
  )
