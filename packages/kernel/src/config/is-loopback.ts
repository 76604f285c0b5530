// Decides whether a host name or address is this machine. Does not use a resolver.
import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6')

/** True for 127.0.0.0/8, ::1 (with or without brackets), IPv4-mapped addresses and `localhost`; false for every other name. */
export const isLoopback = (host: string): boolean => {
  const address = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  const family = isIP(address)
  if (family === 0) return host.toLowerCase() === 'localhost'
  return loopback.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
