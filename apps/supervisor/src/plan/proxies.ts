// Which proxies in front of the unit are believed when they say for whom they ask.
import { BlockList, isIP } from 'node:net'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

const widths = { 4: 32, 6: 128 } as const

/** A bare address is a network of one. */
const toNetwork = (text: string): string | undefined => {
  const [, address = '', prefix] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  if (family !== 4 && family !== 6) return undefined
  const bits = prefix === undefined ? widths[family] : Number(prefix)
  if (bits > widths[family]) return undefined
  // The same call that will judge each request.
  new BlockList().addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  return `${address}/${bits}`
}

/** CIDRs, separated by commas; one that holds every address would let anybody name its own. */
export const parseProxies = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const network = toNetwork(part)
      if (network !== undefined && !network.endsWith('/0')) return network
      throw new Refusal(exits.configuration, {
        detail: `SERVICE_TRUSTED_PROXIES: expected networks such as 10.0.0.0/8 or fd00::/8, got "${part}"`,
        hint: 'name the proxies alone, separated by commas: whoever is in the list may claim any address',
      })
    })
