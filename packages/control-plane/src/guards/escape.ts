// Every JSON answer is written so that nothing in it hides, moves or reorders text, wherever it is printed. The values stay the same.
import { visibleJson } from '@gatehouse/contracts'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'

/** Once for each answer; its length, or 0 where it is no JSON. */
export const escapeAnswer = async (c: Context<Env>): Promise<number> => {
  if (c.res.headers.get('Content-Type')?.includes('json') !== true) return 0
  const { status, headers } = c.res
  const text = visibleJson(await c.res.text())
  c.res = new Response(text, { status, headers })
  c.set('isEscaped', true)
  return text.length
}

export const escapeGuard: MiddlewareHandler<Env> = async (c, next) => {
  c.set('isEscaped', false)
  await next()
  if (!c.var.isEscaped) await escapeAnswer(c)
}
