// Checks the host names and origins of requests, which prevents DNS rebinding.
import { ServiceError } from '@gatehouse/contracts'
import { isLoopback } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { isOpenPath } from '../problem.ts'

export interface Bind {
  readonly host: string
  readonly port: number
  /** URLs or host names of the unit. */
  readonly publicUrls: readonly string[]
}

interface AllowedOrigins {
  admitsHost(host: string): boolean
  /** `host` has been admitted. */
  admitsOrigin(origin: string, host: string): boolean
}

const bracketed = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)

const withPort = (host: string, port: number): readonly string[] => [
  `${bracketed(host)}:${port}`.toLowerCase(),
  ...(port === 80 ? [bracketed(host).toLowerCase()] : []),
]

const publicUrlsOf = (names: readonly string[]): readonly URL[] =>
  names.flatMap((name) => (name.includes('://') ? [new URL(name)] : [new URL(`https://${name}`), new URL(`http://${name}`)]))

/** Proxies can include the default port. */
const hostsOf = (url: URL): readonly string[] =>
  url.port === '' ? [url.host, `${url.host}:${url.protocol === 'https:' ? 443 : 80}`] : [url.host]

const hostOf = (protocol: string, host: string): string | undefined =>
  URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : undefined

const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]'])
const loopbackNames = ['127.0.0.1', 'localhost', '::1'] as const

export const createAllowedOrigins = ({ host, port, publicUrls }: Bind): AllowedOrigins => {
  const urls = publicUrlsOf(publicUrls)
  const publicHosts = new Set(urls.flatMap(hostsOf))
  const publicOrigins = new Set(urls.map((url) => url.origin))
  // Browsers connect to this machine by the unspecified address, which a foreign page could use as a host name.
  const names = wildcards.has(host) ? loopbackNames : [host, ...loopbackNames]
  const ownHosts = new Set(names.flatMap((name) => withPort(name, port)))
  const checked = isLoopback(host) || publicUrls.length > 0

  return {
    admitsHost: (name) => !checked || ownHosts.has(name.toLowerCase()) || publicHosts.has(name.toLowerCase()),
    admitsOrigin: (origin, name) => {
      if (publicOrigins.has(origin)) return true
      if (publicHosts.has(name.toLowerCase()) || !URL.canParse(origin)) return false
      const { protocol, host: from, origin: canonical } = new URL(origin)
      return canonical === origin && /^https?:$/.test(protocol) && from === hostOf(protocol, name)
    },
  }
}

/** Probes use the IP address. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none'])

/** The fetch metadata of a browser. Links on other sites can open the console, but no data. */
const admitsPage = (c: Context<Env>): boolean => {
  const site = c.req.header('sec-fetch-site')
  if (site === undefined || ownSites.has(site)) return true
  return c.req.header('sec-fetch-mode') === 'navigate' && c.req.method === 'GET' && isOpenPath(c.req.path)
}

export const hostGuard =
  (site: AllowedOrigins): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (probes.has(c.req.path)) return next()
    const host = c.req.header('host')
    if (host === undefined || host === '') throw new ServiceError('malformed', { detail: 'the Host header is missing' })
    if (!site.admitsHost(host)) {
      throw new ServiceError('host-refused', {
        detail: 'the Host header does not name this unit',
        hint: 'set SERVICE_PUBLIC_URL to the public address of the unit',
      })
    }
    const origin = c.req.header('origin')
    if (origin !== undefined && !site.admitsOrigin(origin, host)) {
      throw new ServiceError('host-refused', { detail: 'the Origin header names another site' })
    }
    if (!admitsPage(c)) {
      throw new ServiceError('host-refused', {
        detail: 'the request comes from a page of another site',
        hint: 'open the console at an address of the unit',
      })
    }
    return next()
  }
