// Reads the argument of `--http`. Only loopback addresses: the sample has no authentication.
import { isIPv4 } from 'node:net'

export interface Address {
  readonly host: string
  readonly port: number
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** `:PORT` or `HOST:PORT`, IPv6 in brackets. Throws an error that says what was expected and got. */
export const parseAddress = (text: string): Address => {
  const parts = /^(?<host>[^:[\]]*|\[[^\]]*\]):(?<port>\d{1,5})$/.exec(text)?.groups
  const port = Number(parts?.['port'])
  if (parts?.['host'] === undefined || port > 65535) throw new TypeError(`--http: expected :PORT or HOST:PORT, got "${text}"`)
  const host = parts['host'].replace(/^\[|\]$/g, '') || '127.0.0.1'
  if (!isLoopback(host)) throw new TypeError(`--http: expected a loopback host (localhost, 127.0.0.0/8 or [::1]), got "${host}"`)
  return { host, port }
}
