// Restricts npm's libraries to one registry host: connections to other hosts are refused, no scripts run, and nothing is cached
// between calls.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect } from 'node:net'
import { TreeRefused } from './task.ts'

export interface Registry {
  readonly url: string
  /**
   * Unix socket of a forwarder to the registry, where there is no network. It accepts plain HTTP and does the encryption of an https URL
   * itself.
   */
  readonly socket?: string | undefined
}

/** The host in npm's tarball URLs; mirrors may repeat it. */
const npmHost = 'registry.npmjs.org'
const connections = { keepAlive: true, maxSockets: 8 }

interface Destination {
  readonly host?: string | null | undefined
  readonly port?: number | string | null | undefined
}

const getPort = ({ port, protocol }: URL): string => (port === '' ? (protocol === 'https:' ? '443' : '80') : port)

/** Throws for any host other than the registry. */
const assertRegistry = (registry: URL, { host, port }: Destination): void => {
  if (host !== registry.hostname.replaceAll(/^\[|\]$/g, '') || String(port) !== getPort(registry)) {
    throw new TreeRefused(
      'not-from-registry',
      `the registry ${registry.host} led to ${host ?? 'no host'}:${port ?? ''}, which is not the registry`,
    )
  }
}

const createAgent = ({ url, socket }: Registry): HttpAgent => {
  const registry = new URL(url)
  const agent = registry.protocol === 'https:' ? new HttpsAgent(connections) : new HttpAgent(connections)
  const dial = agent.createConnection.bind(agent)
  return Object.assign(agent, {
    createConnection: (options: Parameters<typeof dial>[0], done: Parameters<typeof dial>[1]) => {
      assertRegistry(registry, options)
      return socket === undefined ? dial(options, done) : connect(socket)
    },
  })
}

/** The URL to download a tarball from. For a mirror, npm's own host is replaced by the mirror. */
export const tarballUrl = (registry: string, resolved: string): string => {
  const registryUrl = new URL(registry)
  const resolvedUrl = URL.canParse(resolved) ? new URL(resolved) : undefined
  if (resolvedUrl === undefined) throw new TreeRefused('not-from-registry', `not a tarball URL: ${JSON.stringify(resolved)}`)
  const url = resolvedUrl.host === npmHost && registryUrl.host !== npmHost ? new URL(resolvedUrl.pathname, registryUrl) : resolvedUrl
  if (url.origin !== registryUrl.origin || url.username !== '' || url.password !== '') {
    throw new TreeRefused('not-from-registry', `the tarball is at ${resolvedUrl.origin} instead of ${registryUrl.origin}`)
  }
  return url.href
}

export type NpmOptions = Readonly<Record<string, unknown>>

export const npmOptions = (registry: Registry, work: string): NpmOptions => ({
  registry: registry.url,
  agent: createAgent(registry),
  cache: `${work}/cache`,
  tufCache: `${work}/tuf`,
  allowGit: 'none',
  allowRemote: 'none',
  allowFile: 'none',
  allowDirectory: 'none',
  ignoreScripts: true,
  audit: false,
  fund: false,
  preferOnline: true,
  fetchRetries: 1,
  fetchRetryFactor: 2,
  fetchRetryMintimeout: 100,
  fetchRetryMaxtimeout: 1_000,
  timeout: 30_000,
})
