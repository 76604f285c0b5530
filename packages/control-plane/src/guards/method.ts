// Fourth guard: a known path answers 405 with Allow to every method that it does not have.
import { ServiceError } from '@gatehouse/contracts'
import type { Hono } from 'hono'
import type { Env } from '../env.ts'

/** Call it when every route is in place: it reads them. */
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
      throw new ServiceError('method-not-allowed', { detail: `expected one of ${allow} at this path, got another method` })
    })
  }
}
