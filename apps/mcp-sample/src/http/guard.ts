// Refuses what a browser would send on behalf of another site (DNS rebinding): both headers must name this machine.
import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'

const hostOf = (url: string): string | null => {
  try {
    return new URL(url).hostname
  } catch {
    return null
  }
}

const isLocal = (hostname: string | null): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (hostname !== null && isIPv4(hostname) && hostname.startsWith('127.'))

/** The header that names another site, or null. */
export const foreignHeader = ({ headers }: Pick<IncomingMessage, 'headers'>): 'Host' | 'Origin' | null => {
  if (headers.host === undefined || !isLocal(hostOf(`http://${headers.host}`))) return 'Host'
  if (headers.origin !== undefined && !isLocal(hostOf(headers.origin))) return 'Origin'
  return null
}
