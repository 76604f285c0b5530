// Guard of webhooks, which come without a token: what the headers and the pace of a sender say is said before a body is read.
import { limits, ServiceError, webhookFault, type WebhookHeaders, type WebhookRefusal, webhookRefusals } from '@gatehouse/contracts'
import { createBuckets } from '@gatehouse/kernel'
import type { Context } from 'hono'
import type { Env, Unit } from '../env.ts'
import { addressKey } from './address.ts'

export interface WebhookGuard {
  /** Throws what is answered at once. Give the place back when the webhook was dealt with. */
  admit(c: Context<Env>, headers: WebhookHeaders): () => void
  /** Its signature is of no secret. A genuine one passes whatever came before it. */
  forged(c: Context<Env>, reason?: 'malformed' | 'untimely' | 'forged'): ServiceError
}

export const count = (c: Context<Env>, reason: WebhookRefusal): void => c.var.unit.metrics.counter('webhooks_refused_total').inc({ reason })

export const showWebhooks = (metrics: Unit['metrics']): void => {
  for (const reason of webhookRefusals) metrics.touch('webhooks_refused_total', { reason })
}

const slowDown = (c: Context<Env>, seconds: number, detail: string): ServiceError => {
  c.header('Retry-After', String(seconds))
  return new ServiceError('rate-limited', { detail, hint: `send it again in ${seconds} s, with the same webhook-id` })
}

export const absent = (c: Context<Env>): ServiceError => {
  count(c, 'absent')
  return new ServiceError('not-found', { detail: 'this unit takes no webhooks' })
}

/** So many bodies of one sender in memory at once. */
const places = () => {
  const taken = new Map<string, number>()
  return {
    take: (key: string): boolean => {
      const now = taken.get(key) ?? 0
      if (now >= limits.webhooksAtOnce) return false
      taken.set(key, now + 1)
      return true
    },
    giveBack: (key: string): void => {
      const left = (taken.get(key) ?? 1) - 1
      if (left === 0) taken.delete(key)
      else taken.set(key, left)
    },
  }
}

export const createWebhookGuard = (now?: () => number): WebhookGuard => {
  const clock = now === undefined ? {} : { now }
  const wrongBurst = limits.webhooksWrongPerMinute
  const wrong = createBuckets({ perSecond: wrongBurst / 60, burst: wrongBurst, ...clock })
  const pace = createBuckets({ perSecond: limits.webhooksPerSecond, burst: limits.webhooksBurst, ...clock })
  const { take, giveBack } = places()
  const forged: WebhookGuard['forged'] = (c, reason = 'forged') => {
    count(c, reason)
    const taken = wrong.take(addressKey(c.var.address))
    if (!taken.ok)
      return slowDown(c, taken.retryAfter, `expected at most ${wrongBurst} wrong signatures a minute from one address, got more`)
    return new ServiceError('unauthorized', {
      detail: 'expected a signature of this moment by a secret of the unit, got another or none',
      hint: 'sign as standardwebhooks.com says, with WEBHOOK_SIGNING_SECRET and a clock that is right',
    })
  }
  const admit: WebhookGuard['admit'] = (c, headers) => {
    const { boot, peers } = c.var.unit
    if (peers.channels === null || !boot.webhooks) throw absent(c)
    const fault = webhookFault(headers, Date.now())
    if (fault !== undefined) throw forged(c, fault)
    if (boot.rate === null) return () => undefined
    const key = addressKey(c.var.address)
    const { ok, retryAfter } = pace.take(key)
    if (!ok) {
      count(c, 'too-fast')
      throw slowDown(c, retryAfter, `expected at most ${limits.webhooksPerSecond} webhooks a second from one address, got more`)
    }
    if (!take(key)) {
      count(c, 'too-many')
      throw slowDown(c, 1, `expected at most ${limits.webhooksAtOnce} webhooks at once from one address, got more`)
    }
    return () => giveBack(key)
  }
  return { admit, forged }
}
