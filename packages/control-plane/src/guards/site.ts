// Which names this listener answers to, and which pages may ask it. The defence against DNS rebinding.
import { isLoopback } from '@gatehouse/kernel'

export interface Bind {
  readonly host: string
  readonly port: number
  /** URLs or bare host names under which people reach the unit. */
  readonly publicUrls: readonly string[]
}

export interface Site {
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

export const createSite = ({ host, port, publicUrls }: Bind): Site => {
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
