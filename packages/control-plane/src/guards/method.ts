// Fourth guard: known paths return 405 with Allow for other methods.
import { ServiceError, visibleJson } from '@gatehouse/contracts'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'

/** Call it after all routes are registered, because it reads them. */
export const refuseOtherMethods = (app: Hono<Env>): void => {
  const methods = new Map<string, Set<string>>()
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue
    const allowed = methods.get(path) ?? new Set<string>()
    methods.set(path, method === 'GET' ? allowed.add('GET').add('HEAD') : allowed.add(method))
  }
  for (const [path, allowed] of methods) {
    const allow = [...allowed].toSorted().join(', ')
    app.all(path, (c) => {
      c.header('Allow', allow)
      throw new ServiceError('method-not-allowed', { detail: `this path only allows ${allow}` })
    })
  }
}

/** Called once for each response with its length, or 0 if it is not JSON. */
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
