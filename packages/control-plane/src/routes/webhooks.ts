// Webhooks of other programs: their raw bytes are passed on to the process that holds the secret, which alone can judge them.
import { limits, ServiceError, WebhookAccepted } from '@gatehouse/contracts'
import { createBuckets } from '@gatehouse/kernel'
import { type Context, Hono } from 'hono'
import type { Env } from '../env.ts'
import { addressKey } from '../guards/address.ts'
import { decode, readBytes } from '../guards/body.ts'
import { bytesBody, json, unguarded } from '../openapi/operation.ts'

const burst = limits.webhooksWrongPerMinute
const wrong = createBuckets({ perSecond: burst / 60, burst })

/** Counted like wrong tokens: a genuine one passes whatever came before it. */
const forged = (c: Context<Env>): ServiceError => {
  const taken = wrong.take(addressKey(c.var.address))
  if (taken.ok)
    return new ServiceError('unauthorized', {
      detail: 'expected a signature of this moment by a secret of the unit, got another or none',
      hint: 'sign as standardwebhooks.com says, with WEBHOOK_SIGNING_SECRET and a clock that is right',
    })
  c.header('Retry-After', String(taken.retryAfter))
  return new ServiceError('rate-limited', { detail: `expected at most ${burst} wrong signatures a minute from one address, got more` })
}

const busy = (c: Context<Env>): ServiceError => {
  c.header('Retry-After', '30')
  return new ServiceError('rate-limited', {
    detail: 'this conversation has more messages than its agent has answered, or brings them too fast',
    hint: 'send it again later, with the same webhook-id',
  })
}

export const webhookRoutes = new Hono<Env>().post(
  '/v1/webhooks',
  unguarded({
    summary: 'A message of another program to an agent, signed as standardwebhooks.com says',
    tag: 'channels',
    answers: { 202: json('It was genuine; whether it is heard is not said', WebhookAccepted) },
    problems: ['unauthorized', 'not-found', 'too-large', 'invalid', 'rate-limited', 'unavailable', 'deadline'],
  }),
  bytesBody,
  async (c) => {
    const { channels } = c.var.unit.peers
    const body = decode(await readBytes(c, limits.webhookBody))
    const header = (name: string): string => c.req.header(`webhook-${name}`) ?? ''
    const signed = { id: header('id'), timestamp: header('timestamp'), signature: header('signature'), body }
    const { outcome, detail = 'expected a message' } = (await channels?.webhook(signed, c.var.call)) ?? { outcome: 'absent' as const }
    if (outcome === 'forged') throw forged(c)
    if (outcome === 'busy') throw busy(c)
    if (outcome === 'invalid') throw new ServiceError('invalid', { detail })
    if (outcome === 'absent') throw new ServiceError('not-found', { detail: 'this unit takes no webhooks' })
    return c.json({ status: 'accepted' } satisfies WebhookAccepted, 202)
  },
)
