// Third guard: a bucket per principal, however many tokens or addresses it comes with. Files of the console count by address.
// Who was refused is refused again by the token alone, until something is left: a flood costs the gateway nothing.
import { type ControlPlaneBoot, type Digest, ServiceError } from '@gatehouse/contracts'
import { createBuckets } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { isOpenPath, webhookPath } from '../problem.ts'
import { addressKey } from './client-address.ts'

/** Webhooks are counted by a guard of their own, once it is known who signed them. */
const exempt: ReadonlySet<string> = new Set(['/healthz', '/readyz', webhookPath])

export interface RateGuard {
  readonly guard: MiddlewareHandler<Env>
  /** Before it is asked whose token it is. Throws where its holder was refused and has nothing left yet. */
  readonly assertLeft: (c: Context<Env>, token: Digest | null) => void
}

/** Headers as in draft-ietf-httpapi-ratelimit-headers. */
export const createRateGuard = (rate: NonNullable<ControlPlaneBoot['rate']>, now?: () => number): RateGuard => {
  const buckets = createBuckets({ ...rate, ...(now !== undefined && { now }) })
  const policy = `"principal";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`
  /** Whose bucket was empty, by token; as many as there are tokens. */
  const refused = new Map<Digest | null, string>()
  const judge = (c: Context<Env>, taken: ReturnType<typeof buckets.take>): void => {
    c.header('RateLimit-Policy', policy)
    c.header('RateLimit', `"principal";r=${taken.remaining};t=${taken.reset}`)
    if (taken.ok) return
    c.header('Retry-After', String(taken.retryAfter))
    throw new ServiceError('rate-limited', {
      detail: `expected at most ${rate.perSecond} requests a second and ${rate.burst} at once, got more`,
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
