// Which addresses may be dialled for a url, judged at the moment of dialling, when the name has become an address.
import { lookup as resolveName, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { bare, isIn, isLocal, loopback, never, notPublic } from './networks.ts'

const phrases = {
  'address-refused': 'the address may not be dialled',
  redirected: 'the server answered with a redirect, which is never followed',
  'too-large': 'the server answered with more than may be read',
  proxy: 'the proxy does not connect to the server',
} as const

export type OutboundFailureKind = keyof typeof phrases

export class OutboundFailure extends Error {
  readonly kind: OutboundFailureKind

  constructor(kind: OutboundFailureKind) {
    super(phrases[kind])
    this.name = 'OutboundFailure'
    this.kind = kind
  }
}

/** `public`: nothing of this machine, this house or this provider. */
export type Reach = 'any' | 'public'

/** As `dns.lookup` with all addresses. */
export type Resolve = (
  hostname: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface AddressPolicy {
  /** Throws when this address may not be dialled. */
  check(address: string): void
  /** Resolves a name and hands on only addresses that were all checked. */
  readonly lookup: LookupFunction
  /** The same for a host that somebody else will dial. Rejects with `OutboundFailure` or the error of the resolver. */
  checkHost(host: string): Promise<void>
}

interface PolicyOptions {
  readonly url: URL
  /** `host:port` of the unit's own admin API. */
  readonly ownAddress: string
  readonly reach?: Reach
  readonly resolve?: Resolve
}

const isOwn = (address: string, port: string, ownAddress: string): boolean => {
  const at = ownAddress.lastIndexOf(':')
  if (ownAddress.slice(at + 1) !== port) return false
  const host = bare(ownAddress.slice(0, at))
  if (host === '0.0.0.0' || host === '::') return isLocal(address)
  return host === 'localhost' || isIn(loopback, host) ? isIn(loopback, address) : host === address
}

/** False for what is no address at all. */
export const isPublicAddress = (given: string): boolean => {
  const address = bare(given)
  return isIP(address) !== 0 && !isIn(never, address) && !isIn(notPublic, address)
}

export const createAddressPolicy = ({ url, ownAddress, reach = 'any', resolve = resolveName }: PolicyOptions): AddressPolicy => {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const isAllowed = (address: string): boolean =>
    isIP(address) !== 0 &&
    !isIn(never, address) &&
    (reach === 'any' || isPublicAddress(address)) &&
    (url.protocol === 'https:' || isIn(loopback, address)) &&
    !isOwn(address, port, ownAddress)
  const check = (given: string): void => {
    if (!isAllowed(bare(given))) throw new OutboundFailure('address-refused')
  }
  const refused = (addresses: readonly LookupAddress[]): OutboundFailure | null =>
    addresses.length > 0 && addresses.every(({ address }) => isAllowed(bare(address))) ? null : new OutboundFailure('address-refused')
  const lookup: LookupFunction = (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const failure = error ?? refused(addresses)
      const [first] = failure === null ? addresses : []
      if (failure !== null) done(failure, [])
      else if (options.all === true) done(null, addresses)
      else done(null, first?.address ?? '', first?.family)
    })
  }
  const checkHost = (host: string): Promise<void> =>
    new Promise((accept, reject) => {
      const literal = bare(host)
      if (isIP(literal) !== 0) return isAllowed(literal) ? accept() : reject(new OutboundFailure('address-refused'))
      lookup(literal, { all: true }, (error) => (error === null ? accept() : reject(error)))
    })
  return { check, lookup, checkHost }
}
