// Route of the console files, which need no token and contain no data.
import { ServiceError } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import { consoleHeaders, findAsset } from '../console/assets.ts'
import type { Env } from '../env.ts'
import { unguarded } from '../openapi/operation.ts'

const tag = 'console'
const file = unguarded({
  summary: 'Console file',
  tag,
  answers: { 200: { description: 'The file, or index.html for a console page' } },
  problems: ['not-found', 'rate-limited'],
})
const redirect = unguarded({
  summary: 'Redirect to the console',
  tag,
  answers: { 302: { description: 'To /ui/' } },
  problems: ['rate-limited'],
})

const serve = (c: Context<Env>, path: string): Response => {
  const asset = findAsset(c.var.unit.console, path)
  if (asset !== undefined) return c.body(asset.body, 200, consoleHeaders(asset))
  throw new ServiceError('not-found', {
    detail: 'the console has no such file',
    ...(c.var.unit.console.size === 0 && { hint: 'this unit was started without a built console' }),
  })
}

export const consoleRoutes = new Hono<Env>()
  .get('/', redirect, (c) => c.redirect('/ui/'))
  .get('/ui', redirect, (c) => c.redirect('/ui/'))
  .get('/ui/', file, (c) => serve(c, ''))
  .get('/ui/:path{.+}', file, (c) => serve(c, c.req.param('path')))
