// Every JSON answer is written so that nothing in it hides, moves or reorders text, wherever it is printed. The values stay the same.
import { visibleJson } from '@gatehouse/contracts'
import type { MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'

export const escapeGuard: MiddlewareHandler<Env> = async (c, next) => {
  await next()
  if (c.res.headers.get('Content-Type')?.includes('json') !== true) return
  const { status, headers } = c.res
  c.res = new Response(visibleJson(await c.res.text()), { status, headers })
}
