// The client address of a request: from its socket, or from the headers of proxies that the operator trusts.
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Context } from 'hono'
import type { Env } from '../env.ts'

interface Proxies {
  /** `peer` is the address of the socket, `forwarded` the X-Forwarded-For header. */
  clientOf(peer: string, forwarded: string | undefined): string
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Normalizes an address: without brackets, port and zone, and a mapped address as IPv4. Undefined if it is not an address. */
const plain = (text: string): string | undefined => {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text.trim()) ?? []
  const address = (bracketed ?? dotted ?? text.trim()).replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  return isIP(mapped) === 0 ? undefined : mapped
}

/** The supervisor has validated the list: each entry is an address with a prefix length. */
export const createProxies = (cidrs: readonly string[]): Proxies => {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/')
    list.addSubnet(address, Number(bits ?? (isIP(address) === 4 ? 32 : 128)), familyOf(address))
  }
  const trusts = (address: string): boolean => list.check(address, familyOf(address))

  return {
    clientOf: (peer, forwarded) => {
      const address = plain(peer)
      if (address === undefined) return peer
      let client: string = address
      // Each proxy appends the address of its peer, so the rightmost address that is not a trusted proxy is the client.
      for (const hop of (forwarded ?? '').split(',').toReversed()) {
        const next: string | undefined = trusts(client) ? plain(hop) : undefined
        if (next === undefined) break
        client = next
      }
      return client
    },
  }
}

/** The key by which requests of a client are counted. */
export const clientAddress = (c: Context<Env>, proxies: Proxies): string => {
  const bindings: Env['Bindings'] | undefined = c.env
  return proxies.clientOf(bindings?.incoming?.socket.remoteAddress ?? 'unknown', c.req.header('x-forwarded-for'))
}

const groupsOf = (text: string): readonly string[] => (text === '' ? [] : text.split(':'))

/** An IPv6 client controls its whole /64, which counts as one client. */
export const addressKey = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')]
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`
}
