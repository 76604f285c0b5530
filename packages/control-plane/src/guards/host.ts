// First guard: the Host and Origin headers name this unit, or nothing is looked at further.
import { ServiceError } from '@gatehouse/contracts'
import type { MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import type { Site } from './site.ts'

/** Probes come by address. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

export const hostGuard =
  (site: Site): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (probes.has(c.req.path)) return next()
    const host = c.req.header('host')
    if (host === undefined || host === '') throw new ServiceError('malformed', { detail: 'expected one Host header, got none' })
    if (!site.admitsHost(host)) {
      throw new ServiceError('host-refused', {
        detail: 'expected a Host header that names this unit, got another one',
        hint: 'name the public address of the unit in SERVICE_PUBLIC_URL',
      })
    }
    const origin = c.req.header('origin')
    if (origin !== undefined && !site.admitsOrigin(origin, host)) {
      throw new ServiceError('host-refused', { detail: 'expected an Origin header of this site or none, got another one' })
    }
    return next()
  }
