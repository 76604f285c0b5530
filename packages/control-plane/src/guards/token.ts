// Second guard: authenticates the client before anything else. Only sends a digest of the token to the gateway, which decides.
import { isServiceError, limits, ServiceError } from '@gatehouse/contracts'
import { type Buckets, createBuckets, sha256 } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { isMcpPath, isOpenPath } from '../problem.ts'
import { addressKey } from './client-address.ts'
import type { RateGuard } from './rate.ts'

/** Visible ASCII without spaces, so that two headers joined by the parser are not one token. */
const bearer = /^Bearer +([\u0021-\u007e]+)$/i

const refuseWrong = (c: Context<Env>, wrong: Buckets): ServiceError => {
  const taken = wrong.take(addressKey(c.var.address))
  if (taken.ok) return new ServiceError('unauthorized')
  c.header('Retry-After', String(taken.retryAfter))
  return new ServiceError('rate-limited', {
    detail: `more than ${limits.wrongTokensPerMinute} wrong tokens a minute from one address`,
    hint: `try again in ${taken.retryAfter} s, or use a valid token`,
  })
}

export interface TokenGuardOptions {
  readonly now?: (() => number) | undefined
  readonly assertLeft?: RateGuard['assertLeft'] | undefined
}

/** A valid token is never refused because of wrong tokens of others. */
export const tokenGuard = ({ now, assertLeft }: TokenGuardOptions): MiddlewareHandler<Env> => {
  const burst = limits.wrongTokensPerMinute
  const wrong = createBuckets({ perSecond: burst / 60, burst, ...(now !== undefined && { now }) })
  return async (c, next) => {
    if (isOpenPath(c.req.path)) return next()
    const { unit, call } = c.var
    const header = c.req.header('authorization')
    const route = isMcpPath(c.var, c.req.path) ? 'mcp' : 'status'
    // On an open unit, an MCP client still needs a token that identifies its group.
    if (header === undefined && (route === 'mcp' || !unit.boot.open)) throw new ServiceError('unauthorized')
    const presented = header === undefined ? null : bearer.exec(header)?.[1]
    if (presented === undefined) throw refuseWrong(c, wrong)
    const token = presented === null ? null : sha256(presented)
    assertLeft?.(c, token)
    try {
      c.set('principal', await unit.peers.gateway.permit({ token, route }, call))
    } catch (error) {
      throw isServiceError(error) && error.code === 'unauthorized' ? refuseWrong(c, wrong) : error
    }
    c.set('token', token)
    return next()
  }
}
