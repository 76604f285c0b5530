// The key under which requests of one client are counted.
import { isIPv6 } from 'node:net'
import type { Context } from 'hono'
import type { Env } from '../env.ts'
import type { Proxies } from './proxies.ts'

export const clientAddress = (c: Context<Env>, proxies: Proxies): string => {
  const bindings: Env['Bindings'] | undefined = c.env
  return proxies.clientOf(bindings?.incoming?.socket.remoteAddress ?? 'unknown', c.req.header('x-forwarded-for'))
}

const groupsOf = (text: string): readonly string[] => (text === '' ? [] : text.split(':'))

/** An IPv6 client owns its whole /64, so that counts as one. */
export const addressKey = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')]
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`
}
