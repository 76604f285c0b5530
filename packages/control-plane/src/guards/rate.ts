// Third guard: a token bucket per principal, across its tokens and addresses. Console files are limited by address.
// Refused tokens are refused again without a call to the gateway until the bucket refills, so that a flood does not load it.
import { type ControlPlaneBoot, type Digest, ServiceError } from '@gatehouse/contracts'
import { createBuckets } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { isOpenPath, webhookPath } from '../problem.ts'
import { addressKey } from './client-address.ts'

/** Webhooks have their own guard, which counts them by signer. */
const exempt: ReadonlySet<string> = new Set(['/healthz', '/readyz', webhookPath])

export interface RateGuard {
  readonly guard: MiddlewareHandler<Env>
  /** Runs before the token is authenticated. Throws if its principal was refused and the bucket is still empty. */
  readonly assertLeft: (c: Context<Env>, token: Digest | null) => void
}

/** Headers as in draft-ietf-httpapi-ratelimit-headers. */
export const createRateGuard = (rate: NonNullable<ControlPlaneBoot['rate']>, now?: () => number): RateGuard => {
  const buckets = createBuckets({ ...rate, ...(now !== undefined && { now }) })
  const policy = `"principal";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`
  /** Principals with an empty bucket, by token digest. At most one entry per token. */
  const refused = new Map<Digest | null, string>()
  const judge = (c: Context<Env>, taken: ReturnType<typeof buckets.take>): void => {
    c.header('RateLimit-Policy', policy)
    c.header('RateLimit', `"principal";r=${taken.remaining};t=${taken.reset}`)
    if (taken.ok) return
    c.header('Retry-After', String(taken.retryAfter))
    throw new ServiceError('rate-limited', {
      detail: `more than ${rate.perSecond} requests a second, or more than ${rate.burst} at once`,
      hint: `try again in ${taken.retryAfter} s`,
    })
  }
  return {
    assertLeft: (c, token) => {
      const key = refused.get(token)
      if (key === undefined) return
      const left = buckets.peek(key)
      if (left.ok) refused.delete(token)
      else judge(c, left)
    },
    guard: async (c, next) => {
      if (exempt.has(c.req.path)) return next()
      const isOpen = isOpenPath(c.req.path)
      const key = isOpen ? `address ${addressKey(c.var.address)}` : `principal ${c.var.principal.name}`
      const taken = buckets.take(key)
      if (!taken.ok && !isOpen) refused.set(c.var.token, key)
      judge(c, taken)
      return next()
    },
  }
}
