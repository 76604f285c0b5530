// Messages to and from agents. The gateway permits, the runner carries.
import { AgentGroupID, ChatMessages, ChatSendAnswer, ChatSendBody, ConversationID, limits } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody } from '../guards/body.ts'
import { guarded, json } from '../openapi/operation.ts'
import { PageLimit, Sequence } from './page.ts'
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
  answers: { 202: json('Taken', ChatSendAnswer) },
  problems: ['unsupported-media-type', 'invalid', 'not-found', 'conflict', 'queue-full', 'no-sandbox', 'audit-unwritable'],
})

export const chatRoutes = new Hono<Env>()
  .post('/v1/ui/chat/send', send, jsonBody(limits.apiBody), body(ChatSendBody), async (c) => {
    const { unit, token, call } = c.var
    const message = c.req.valid('json')
    await unit.peers.gateway.permit({ token, route: 'chat', agentGroupID: message.agentGroupID }, call)
    return c.json(await unit.peers.runner.send(message, call), 202)
  })
  .get(
    '/v1/ui/chat/:agentGroupID/messages',
    guarded({
      summary: 'Messages of an agent group, ascending; reading removes nothing',
      tag,
      answers: { 200: json('Messages', ChatMessages) },
      problems: ['invalid', 'not-found'],
    }),
    existing(v.object({ agentGroupID: AgentGroupID })),
    query(MessagesQuery),
    async (c) => {
      const { unit, token, call } = c.var
      const group = c.req.valid('param')
      await unit.peers.gateway.permit({ token, route: 'chat', ...group }, call)
      return c.json(await unit.peers.runner.messages({ ...group, ...c.req.valid('query') }, call))
    },
  )
