// Third guard: a bucket per principal, however many tokens or addresses it comes with. Files of the console count by address.
import { type ControlPlaneBoot, ServiceError } from '@gatehouse/contracts'
import { createBuckets } from '@gatehouse/kernel'
import type { MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { addressKey } from './address.ts'
import { isOpenPath, webhookPath } from './open-path.ts'

/** Webhooks are counted by a guard of their own, once it is known who signed them. */
const exempt: ReadonlySet<string> = new Set(['/healthz', '/readyz', webhookPath])

/** Headers as in draft-ietf-httpapi-ratelimit-headers. */
export const rateGuard = (rate: NonNullable<ControlPlaneBoot['rate']>, now?: () => number): MiddlewareHandler<Env> => {
  const buckets = createBuckets({ ...rate, ...(now !== undefined && { now }) })
  const policy = `"principal";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`
  return async (c, next) => {
    if (exempt.has(c.req.path)) return next()
    const taken = buckets.take(isOpenPath(c.req.path) ? `address ${addressKey(c.var.address)}` : `principal ${c.var.principal.name}`)
    c.header('RateLimit-Policy', policy)
    c.header('RateLimit', `"principal";r=${taken.remaining};t=${taken.reset}`)
    if (taken.ok) return next()
    c.header('Retry-After', String(taken.retryAfter))
    throw new ServiceError('rate-limited', {
      detail: `expected at most ${rate.perSecond} requests a second and ${rate.burst} at once, got more`,
      hint: `try again in ${taken.retryAfter} s`,
    })
  }
}
