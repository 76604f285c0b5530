// Which addresses may be dialled for a url, judged at the moment of dialling, when the name has become an address.
import { lookup as resolve, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { UpstreamFailure } from '../failure.ts'

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const listOf = (subnets: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    list.addSubnet(address, Number(bits), family(address))
  }
  return list
}

const loopback = listOf(['127.0.0.0/8', '::1/128'])

/** Unspecified, link-local with the metadata services, multicast, reserved; the same through NAT64; metadata elsewhere. */
const never = listOf([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  '::/128',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254/128',
  '64:ff9b::a9fe:0/112',
  '64:ff9b::7f00:0/104',
])

const isIn = (list: BlockList, address: string): boolean => list.check(address, family(address))

/** Brackets and the zone of an IPv6 literal are not part of its address. */
const bare = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/%.*$/, '')

const isLocal = (address: string): boolean =>
  isIn(loopback, address) || Object.values(networkInterfaces()).some((list) => list?.some((local) => bare(local.address) === address))

export interface AddressPolicy {
  /** Throws when this address may not be dialled. */
  check(address: string): void
  /** Resolves a name and hands on only addresses that were all checked. */
  readonly lookup: LookupFunction
}

interface PolicyOptions {
  readonly url: URL
  /** `host:port` of the unit's own admin API. */
  readonly ownAddress: string
}

const isOwn = (address: string, port: string, ownAddress: string): boolean => {
  const at = ownAddress.lastIndexOf(':')
  if (ownAddress.slice(at + 1) !== port) return false
  const host = bare(ownAddress.slice(0, at))
  if (host === '0.0.0.0' || host === '::') return isLocal(address)
  return host === 'localhost' || isIn(loopback, host) ? isIn(loopback, address) : host === address
}

export const createAddressPolicy = ({ url, ownAddress }: PolicyOptions): AddressPolicy => {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const check = (given: string): void => {
    const address = bare(given)
    const isAllowed = !isIn(never, address) && (url.protocol === 'https:' || isIn(loopback, address)) && !isOwn(address, port, ownAddress)
    if (!isAllowed) throw new UpstreamFailure('address-refused')
  }
  const checkAll = (addresses: readonly LookupAddress[]): UpstreamFailure | null => {
    try {
      for (const { address } of addresses) check(address)
      return null
    } catch {
      return new UpstreamFailure('address-refused')
    }
  }
  return {
    check,
    lookup: (hostname, options, done) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        const refused = error ?? checkAll(addresses)
        const [first] = refused === null ? addresses : []
        if (refused !== null) done(refused, [])
        else if (options.all === true) done(null, addresses)
        else done(null, first?.address ?? '', first?.family)
      })
    },
  }
}
