// Which hosts are dialled without the proxy.
import { BlockList, isIP } from 'node:net'

const inNetwork = (host: string, network: string): boolean => {
  const [address = '', bits] = network.split('/')
  const [of, wanted] = [isIP(address), isIP(host)]
  if (of === 0 || wanted === 0) return false
  const list = new BlockList()
  list.addSubnet(address, bits === undefined ? (of === 6 ? 128 : 32) : Number(bits), of === 6 ? 'ipv6' : 'ipv4')
  return list.check(host, wanted === 6 ? 'ipv6' : 'ipv4')
}

/** `*`, a name with everything below it, an address or a network. */
export const isBypassed = (host: string, noProxy: readonly string[]): boolean =>
  noProxy.some((entry) => {
    if (entry === '*') return true
    const name = entry.replace(/^\*?\./, '').toLowerCase()
    return host.toLowerCase() === name || host.toLowerCase().endsWith(`.${name}`) || inNetwork(host, entry)
  })
