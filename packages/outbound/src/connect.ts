// Opens connections: to judged addresses, or through the operator's proxy to a host that was judged before it is named there.
import { BlockList, isIP, type LookupFunction, Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import { limits, type OutboundSettings } from '@gatehouse/contracts'
import { buildConnector, Client } from 'undici'
import { type AddressPolicy, OutboundFailure, type Reach } from './address-policy.ts'
import { bare, isIn, loopback } from './networks.ts'

const inNetwork = (host: string, network: string): boolean => {
  const [address = '', bits] = network.split('/')
  const [of, wanted] = [isIP(address), isIP(host)]
  if (of === 0 || wanted === 0) return false
  const list = new BlockList()
  list.addSubnet(address, bits === undefined ? (of === 6 ? 128 : 32) : Number(bits), of === 6 ? 'ipv6' : 'ipv4')
  return list.check(host, wanted === 6 ? 'ipv6' : 'ipv4')
}

/** `*`, a name with everything below it, an address or a network. */
const isBypassed = (host: string, noProxy: readonly string[]): boolean =>
  noProxy.some((entry) => {
    if (entry === '*') return true
    const name = entry.replace(/^\*?\./, '').toLowerCase()
    return host.toLowerCase() === name || host.toLowerCase().endsWith(`.${name}`) || inNetwork(host, entry)
  })

export type Connector = ReturnType<typeof buildConnector>
type Options = Parameters<Connector>[0]

export interface DialOptions {
  readonly lookup: LookupFunction
  /** PEM of every authority that is trusted. */
  readonly ca?: string[]
}

/** Makes what opens the sockets: a seam for tests. */
export type Dial = (options: DialOptions) => Connector

export const dialDirectly: Dial = ({ lookup, ca }) =>
  buildConnector({ allowH2: false, timeout: limits.connectTime, lookup, ...(ca && { ca }) })

export interface ConnectOptions {
  readonly settings: OutboundSettings
  readonly policy: AddressPolicy
  readonly reach: Reach
  readonly dial: Dial
}

const authoritiesOf = ({ authorities }: OutboundSettings): string[] | undefined =>
  authorities === null ? undefined : [...getCACertificates('default'), authorities]

/** Plain http is for this machine alone, which no proxy reaches. */
const isProxied = ({ protocol, hostname }: Options, { proxy, noProxy }: OutboundSettings): boolean => {
  const host = bare(hostname)
  const isThisMachine = host === 'localhost' || (isIP(host) !== 0 && isIn(loopback, host))
  return proxy !== null && protocol === 'https:' && !isThisMachine && !isBypassed(host, noProxy)
}

const authorization = ({ username, password }: URL): Record<string, string> => {
  if (username === '' && password === '') return {}
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` }
}

/** A name that is not known here is the proxy's to resolve, unless only public addresses will do. */
const judge = async ({ policy, reach }: ConnectOptions, hostname: string): Promise<void> => {
  try {
    await policy.checkHost(hostname)
  } catch (error) {
    if (error instanceof OutboundFailure || reach === 'public') throw error
  }
}

const openTunnel = async (proxy: URL, ca: string[] | undefined, target: string) => {
  const client = new Client(proxy.origin, { connect: { timeout: limits.connectTime, ...(ca && { ca }) } })
  const { statusCode, socket } = await client
    .connect({ path: target, headers: { host: target, ...authorization(proxy) }, signal: AbortSignal.timeout(limits.connectTime) })
    .catch((error: unknown) => {
      void client.destroy()
      throw error
    })
  socket.once('close', () => void client.destroy())
  if (statusCode === 200 && socket instanceof Socket) return socket
  socket.on('error', () => undefined).destroy()
  throw new OutboundFailure('proxy')
}

export const createConnect = (options: ConnectOptions): Connector => {
  const { settings, policy, dial } = options
  const ca = authoritiesOf(settings)
  const direct = dial({ lookup: policy.lookup, ...(ca && { ca }) })
  const encrypt = buildConnector({ allowH2: false, timeout: limits.connectTime, ...(ca && { ca }) })
  const connect = async (to: Options): Promise<Options | null> => {
    // A literal is never looked up.
    if (isIP(bare(to.hostname)) !== 0) policy.check(to.hostname)
    if (!isProxied(to, settings) || settings.proxy === null) return null
    await judge(options, to.hostname)
    const httpSocket = await openTunnel(new URL(settings.proxy), ca, `${to.hostname}:${to.port || '443'}`)
    return { ...to, httpSocket }
  }
  return (to, tell) => {
    connect(to).then(
      (tunnelled) => (tunnelled === null ? direct(to, tell) : encrypt(tunnelled, tell)),
      (error: unknown) => tell(error instanceof Error ? error : new OutboundFailure('proxy'), null),
    )
  }
}
