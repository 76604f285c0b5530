// The one host that packages come from. Whatever else an answer points at is never dialled. npm's libraries get no other
// source, run no scripts and keep nothing between two acts.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect } from 'node:net'
import { TreeRefused } from './task.ts'

export interface Registry {
  readonly url: string
  /**
   * Unix socket of a forwarder that asks the registry for us, where there is no network: it takes plain HTTP, and the
   * encryption of an https url is its own.
   */
  readonly socket?: string | undefined
}

/** Where npm says that its packages lie; a registry that mirrors them may say so too. */
const npmHost = 'registry.npmjs.org'
const connections = { keepAlive: true, maxSockets: 8 }

interface Destination {
  readonly host?: string | null | undefined
  readonly port?: number | string | null | undefined
}

const portOf = ({ port, protocol }: URL): string => (port === '' ? (protocol === 'https:' ? '443' : '80') : port)

/** Throws for any host but the registry's. */
const guard = (registry: URL, { host, port }: Destination): void => {
  if (host !== registry.hostname.replaceAll(/^\[|\]$/g, '') || String(port) !== portOf(registry)) {
    throw new TreeRefused(
      'not-from-registry',
      `the registry ${registry.host} led to ${host ?? 'nowhere'}:${port ?? ''}, and nothing else is asked`,
    )
  }
}

const agentOf = ({ url, socket }: Registry): HttpAgent => {
  const registry = new URL(url)
  const agent = registry.protocol === 'https:' ? new HttpsAgent(connections) : new HttpAgent(connections)
  const dial = agent.createConnection.bind(agent)
  return Object.assign(agent, {
    createConnection: (options: Parameters<typeof dial>[0], done: Parameters<typeof dial>[1]) => {
      guard(registry, options)
      return socket === undefined ? dial(options, done) : connect(socket)
    },
  })
}

/** What a tarball is fetched by; a mirror that names npm's own host means itself. */
export const tarballUrl = (registry: string, resolved: string): string => {
  const own = new URL(registry)
  const said = URL.canParse(resolved) ? new URL(resolved) : undefined
  if (said === undefined) throw new TreeRefused('not-from-registry', `expected the address of a tarball, got ${JSON.stringify(resolved)}`)
  const url = said.host === npmHost && own.host !== npmHost ? new URL(said.pathname, own) : said
  if (url.origin !== own.origin || url.username !== '' || url.password !== '') {
    throw new TreeRefused('not-from-registry', `expected a tarball of ${own.origin}, got ${said.origin}`)
  }
  return url.href
}

export type NpmOptions = Readonly<Record<string, unknown>>

export const npmOptions = (registry: Registry, work: string): NpmOptions => ({
  registry: registry.url,
  agent: agentOf(registry),
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
