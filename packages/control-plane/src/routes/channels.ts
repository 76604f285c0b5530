// Routes of channels, dead letters, and incoming webhooks.
import {
  Channel,
  ChannelCheck,
  ChannelList,
  isServiceError,
  limits,
  ServiceError,
  WebhookAccepted,
  type WebhookHeaders,
} from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { decode, readBytes } from '../guards/body.ts'
import { sees } from '../guards/scope.ts'
import { absent, count, createWebhookGuard, type Visit, type WebhookGuard } from '../guards/webhook.ts'
import { bytesBody, guarded, json, unguarded } from '../openapi/operation.ts'
import { existing } from './validate.ts'

const tag = 'channels'

export const channelRoutes = new Hono<Env>()
  .get(
    '/v1/channels',
    guarded({
      summary: 'Configured channels, and undelivered messages',
      tag,
      answers: { 200: json('All', ChannelList) },
    }),
    async (c) => {
      const { unit, token, call } = c.var
      const principal = await unit.peers.gateway.permit({ token, route: 'channels' }, call)
      const { items, letters } = (await unit.peers.channels?.channels({}, call)) ?? { items: [], letters: [] }
      return c.json({ items, letters: letters.filter(({ agentGroupID }) => sees(principal, agentGroupID)) })
    },
  )
  .post(
    '/v1/channels/:channel/check',
    guarded({
      summary: "Check that a channel's service accepts the credentials; sends no messages",
      tag,
      answers: { 200: json('The outcome', ChannelCheck) },
      problems: ['not-found'],
    }),
    existing(v.object({ channel: Channel })),
    async (c) => {
      const { unit, token, call } = c.var
      await unit.peers.gateway.permit({ token, route: 'probe' }, call)
      if (unit.peers.channels === null)
        throw new ServiceError('not-found', {
          detail: 'this unit has no credentials for a channel',
          hint: 'set them, such as WEBHOOK_SIGNING_SECRET, and restart the unit',
        })
      return c.json(await unit.peers.channels.check(c.req.valid('param'), call))
    },
  )

/** Incoming webhooks. Their raw bytes are passed to the process that has the secret and verifies them. */
const busy = (c: Context<Env>): ServiceError => {
  c.header('Retry-After', '30')
  return new ServiceError('rate-limited', {
    detail: 'this conversation has too many unanswered messages, or sends them too fast',
    hint: 'send it again later, with the same webhook-id',
  })
}

const headersOf = (c: Context<Env>): WebhookHeaders => {
  const header = (name: string): string => c.req.header(`webhook-${name}`) ?? ''
  return { id: header('id'), timestamp: header('timestamp'), signature: header('signature') }
}

const bodyOf = async (c: Context<Env>, visit: Visit): Promise<string> => {
  try {
    return decode(await visit.read(readBytes(c, limits.webhookBody)))
  } catch (error) {
    if (isServiceError(error) && error.code === 'too-large') count(c, 'too-large')
    throw error
  }
}

const passOn = async (c: Context<Env>, guard: WebhookGuard, { headers, visit }: { headers: WebhookHeaders; visit: Visit }) => {
  const { channels } = c.var.unit.peers
  const signed = { ...headers, body: await bodyOf(c, visit) }
  const { outcome, detail = 'expected a message' } = (await channels?.webhook(signed, c.var.call)) ?? { outcome: 'absent' as const }
  if (outcome === 'bad_signature') throw guard.forged(c)
  if (outcome === 'absent') throw absent(c)
  visit.genuine()
  if (outcome === 'busy') throw busy(c)
  if (outcome === 'invalid') throw new ServiceError('invalid', { detail })
}

export const webhookRoutes = (now?: () => number) => {
  const guard = createWebhookGuard(now)
  return new Hono<Env>().post(
    '/v1/webhooks',
    unguarded({
      summary: 'Message from another program to an agent, signed as in Standard Webhooks',
      tag: 'channels',
      answers: { 202: json('The signature is valid; the response does not say whether the message is heard', WebhookAccepted) },
      problems: ['unauthorized', 'not-found', 'too-large', 'invalid', 'rate-limited', 'unavailable', 'deadline'],
    }),
    bytesBody,
    async (c) => {
      const headers = headersOf(c)
      const visit = await guard.admit(c, headers)
      try {
        await passOn(c, guard, { headers, visit })
      } finally {
        visit.end()
      }
      return c.json({ status: 'accepted' } satisfies WebhookAccepted, 202)
    },
  )
}
