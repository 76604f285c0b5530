// First guard: the Host and Origin headers name this unit, or nothing is looked at further.
import { ServiceError } from '@gatehouse/contracts'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { isOpenPath } from './open-path.ts'
import type { Site } from './site.ts'

/** Probes come by address. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none'])

/** What a browser says of the page that asks. A link from elsewhere may lead to the console, but to no data. */
const admitsPage = (c: Context<Env>): boolean => {
  const site = c.req.header('sec-fetch-site')
  if (site === undefined || ownSites.has(site)) return true
  return c.req.header('sec-fetch-mode') === 'navigate' && c.req.method === 'GET' && isOpenPath(c.req.path)
}

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
    if (!admitsPage(c)) {
      throw new ServiceError('host-refused', {
        detail: 'expected a request of this site or of a program, got one that a page of another site made',
        hint: 'open the console at an address of the unit',
      })
    }
    return next()
  }
