// Which host names this listener serves and which origins may call it: the defence against DNS rebinding.
import { ServiceError } from '@gatehouse/contracts'
import { isLoopback } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'
import { isOpenPath } from '../problem.ts'

export interface Bind {
  readonly host: string
  readonly port: number
  /** URLs or bare host names under which people reach the unit. */
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

/** A proxy may write the default port out. */
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
  // Browsers reach this machine by the address that means all: a page of elsewhere could use it as a name.
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
  (site: AllowedOrigins): MiddlewareHandler<Env> =>
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
