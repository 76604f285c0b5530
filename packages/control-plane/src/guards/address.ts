// The address that a request came from, by its socket and never by a header.
import type { Context } from 'hono'
import type { Env } from '../env.ts'

export const peerAddress = (c: Context<Env>): string => {
  const bindings: Env['Bindings'] | undefined = c.env
  return bindings?.incoming?.socket.remoteAddress ?? 'unknown'
}
