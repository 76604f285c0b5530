// Networks of addresses by what they mean for who dials them.
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const listOf = (subnets: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    list.addSubnet(address, Number(bits), family(address))
  }
  return list
}

export const loopback = listOf(['127.0.0.0/8', '::1/128'])

/** Unspecified, link-local with the metadata services, multicast, reserved; the same inside IPv6; metadata elsewhere. */
export const never = listOf([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  '::/128',
  '::a9fe:0/112',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '64:ff9b::a9fe:0/112',
  '64:ff9b::7f00:0/104',
  '64:ff9b::6464:64c8/128',
  '2002:a9fe::/32',
  '2002:7f00::/24',
])

/** Of this machine, this house or this provider alone; also where IPv6 carries such an address. */
export const notPublic = listOf([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '::/96',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  'fc00::/7',
  'fec0::/10',
  '64:ff9b::a00:0/104',
  '64:ff9b::ac10:0/108',
  '64:ff9b::c0a8:0/112',
  '64:ff9b:1::/48',
  '2002:a00::/24',
  '2002:ac10::/28',
  '2002:c0a8::/32',
])

export const isIn = (list: BlockList, address: string): boolean => list.check(address, family(address))

/** Brackets and the zone of an IPv6 literal are not part of its address. */
export const bare = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/%.*$/, '')

/** An address of this machine. */
export const isLocal = (address: string): boolean =>
  isIn(loopback, address) || Object.values(networkInterfaces()).some((list) => list?.some((local) => bare(local.address) === address))
