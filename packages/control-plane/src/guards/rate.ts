// Third guard: a bucket per principal, so that one busy client never slows another. Files of the console count by address.
import { type ControlPlaneBoot, ServiceError } from '@gatehouse/contracts'
import type { MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { peerAddress } from './address.ts'
import { createBuckets } from './buckets.ts'
import { isOpenPath } from './token.ts'

const exempt: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Headers as in draft-ietf-httpapi-ratelimit-headers. */
export const rateGuard = (rate: NonNullable<ControlPlaneBoot['rate']>, now?: () => number): MiddlewareHandler<Env> => {
  const buckets = createBuckets({ ...rate, ...(now !== undefined && { now }) })
  const policy = `"principal";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`
  return async (c, next) => {
    if (exempt.has(c.req.path)) return next()
    const taken = buckets.take(isOpenPath(c.req.path) ? `address ${peerAddress(c)}` : `token ${c.var.token ?? ''}`)
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
