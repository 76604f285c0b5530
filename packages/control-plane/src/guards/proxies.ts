// From which address a request came: by its socket, and by the word of proxies that the operator trusts, of no other.
import { BlockList, isIP } from 'node:net'

export interface Proxies {
  /** `peer` is the address of the socket, `forwarded` the X-Forwarded-For header. */
  clientOf(peer: string, forwarded: string | undefined): string
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Without brackets, port and zone; a mapped address as the IPv4 address that it is. Undefined for what is no address. */
const plain = (text: string): string | undefined => {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text.trim()) ?? []
  const address = (bracketed ?? dotted ?? text.trim()).replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  return isIP(mapped) === 0 ? undefined : mapped
}

/** The supervisor has parsed the list: each is an address with its count of bits. */
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
      // Each proxy appends whom it heard: from the right, the first that is not ours is the client.
      for (const hop of (forwarded ?? '').split(',').toReversed()) {
        const next: string | undefined = trusts(client) ? plain(hop) : undefined
        if (next === undefined) break
        client = next
      }
      return client
    },
  }
}
