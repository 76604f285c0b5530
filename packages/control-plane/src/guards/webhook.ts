// Guard of webhooks, which have no token. It checks headers and rates before it reads a body.
// Only correctly signed webhooks count, so that no one else can use up the rate of the sender.
import { limits, ServiceError, webhookFault, type WebhookHeaders, type WebhookRefusal, webhookRefusals } from '@gatehouse/contracts'
import { type Buckets, createBuckets, wallMs } from '@gatehouse/kernel'
import type { Context } from 'hono'
import type { Env, Unit } from '../env.ts'
import { type BodySlot, BodySlots } from './body-slots.ts'
import { addressKey } from './client-address.ts'

export interface Visit {
  /** Rejects with `rate-limited` if the body takes too long while others wait. */
  read<T>(reading: Promise<T>): Promise<T>
  /** Call it if the signature is valid. */
  genuine(): void
  /** Call it when the webhook was processed. */
  end(): void
}

export interface WebhookGuard {
  /** Rejects with an immediate refusal. Waits for a slot if too many bodies of the address are being read. */
  admit(c: Context<Env>, headers: WebhookHeaders): Promise<Visit>
  /** Call it if the signature is invalid. Never blocks valid ones. */
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
  return new ServiceError('not-found', { detail: 'this unit does not accept webhooks' })
}

/** Without rate limits. */
const unbounded: Visit = { read: (reading) => reading, genuine: () => undefined, end: () => undefined }

const tooSlow = (c: Context<Env>): ServiceError => {
  count(c, 'too-many')
  c.header('Connection', 'close')
  return slowDown(c, 1, `the body did not arrive within ${limits.webhookReadTime} ms while others from the same address wait`)
}

const within = async <T>(c: Context<Env>, reading: Promise<T>, signal: AbortSignal): Promise<T> => {
  const lost = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => lost.reject(tooSlow(c)), { once: true })
  return Promise.race([reading, lost.promise])
}

const visitOf = (c: Context<Env>, place: BodySlot, genuine: () => void): Visit => ({
  read: async (reading) => {
    const body = await within(c, reading, place.signal)
    place.whole()
    return body
  },
  genuine,
  end: place.giveBack,
})

const assertPace = (c: Context<Env>, pace: Buckets, key: string): void => {
  const { ok, retryAfter } = pace.peek(key)
  if (ok) return
  count(c, 'too-fast')
  throw slowDown(c, retryAfter, `more than ${limits.webhooksPerSecond} webhooks a second from one address`)
}

export const createWebhookGuard = (now?: () => number): WebhookGuard => {
  const clock = now === undefined ? {} : { now }
  const wrongBurst = limits.webhooksWrongPerMinute
  const wrong = createBuckets({ perSecond: wrongBurst / 60, burst: wrongBurst, ...clock })
  const pace = createBuckets({ perSecond: limits.webhooksPerSecond, burst: limits.webhooksBurst, ...clock })
  const places = new BodySlots({ most: limits.webhooksAtOnce, time: limits.webhookReadTime, waiting: limits.webhooksWaiting })
  const forged: WebhookGuard['forged'] = (c, reason = 'forged') => {
    count(c, reason)
    const taken = wrong.take(addressKey(c.var.address))
    if (!taken.ok) return slowDown(c, taken.retryAfter, `more than ${wrongBurst} wrong signatures a minute from one address`)
    return new ServiceError('unauthorized', {
      detail: 'the signature is missing, expired or does not match a secret of the unit',
      hint: 'sign as described at standardwebhooks.com with WEBHOOK_SIGNING_SECRET, and check the clock',
    })
  }
  const takePlace = async (c: Context<Env>, key: string): Promise<BodySlot> => {
    assertPace(c, pace, key)
    const place = await places.take(key, c.req.raw.signal).catch(() => Promise.reject(tooSlow(c)))
    try {
      // Others may have used it up in the meantime.
      assertPace(c, pace, key)
      return place
    } catch (error) {
      place.giveBack()
      throw error
    }
  }
  const admit: WebhookGuard['admit'] = async (c, headers) => {
    const { boot, peers } = c.var.unit
    if (peers.channels === null || !boot.webhooks) throw absent(c)
    const fault = webhookFault(headers, wallMs())
    if (fault !== undefined) throw forged(c, fault)
    if (boot.rate === null) return unbounded
    const key = addressKey(c.var.address)
    const place = await takePlace(c, key)
    return visitOf(c, place, () => void pace.take(key))
  }
  return { admit, forged }
}
