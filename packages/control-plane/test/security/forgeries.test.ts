// Forged Host and Origin headers against every route: none gets further than the first guard.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Hono } from 'hono'
import type { Env } from '../../src/env.ts'
import { isProbe, operations } from '../fixtures/operations.ts'
import { type ServerOptions, startServer } from '../fixtures/server.ts'
import { pairs, rawRequest, sendRaw, sweep, withHeaders } from '../fixtures/sweep.ts'
import { type Forgery, forgeries } from './forgeries.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const routes = operations.filter((operation) => !isProbe(operation))

/** Each forgery at every so many routes, and at each route every so many forgeries. */
const some = (every: number) =>
  pairs(routes, forgeries).filter((_, at) => (Math.floor(at / forgeries.length) + (at % forgeries.length)) % every === 0)

const findAccepted = async (t: TestContext, options: ServerOptions, cells = pairs(routes, forgeries)) => {
  const { port, auth, calls } = await startServer(t, options)
  const accepted = await sweep(cells, async ([operation, { name, lines }]) => {
    const { status, code } = await sendRaw(port, rawRequest(operation, `${lines(port)}${auth}`))
    const refused = (status === 403 && code === 'host-refused') || (status === 400 && code === 'malformed')
    return refused ? [] : [`${operation.name} took ${name} with ${status} ${code}`]
  })
  return { accepted, calls }
}

test('accepts none of a hundred forged Hosts and Origins at any route, and asks no peer for them', async (t) => {
  assert.ok(forgeries.length >= 100)
  assert.ok(routes.length >= 40)
  const { accepted, calls } = await findAccepted(t, {})
  assert.deepEqual(accepted, [])
  assert.deepEqual(calls, [])
})

test('accepts none of them on a public address with a name', async (t) => {
  const { accepted } = await findAccepted(t, { boot: { host: '0.0.0.0', publicUrls: ['https://gate.example.org'] } }, some(full ? 1 : 4))
  assert.deepEqual(accepted, [])
})

test('takes the good names at every route', async (t) => {
  const { port, auth } = await startServer(t)
  const good = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]
  const refused = await sweep(pairs(routes, good), async ([operation, host]) => {
    const { code } = await sendRaw(
      port,
      rawRequest(operation, `Host: ${host}\r\nOrigin: http://${host}\r\nSec-Fetch-Site: same-origin\r\n${auth}`),
    )
    return code === 'host-refused' ? [`${operation.name} refused ${host}`] : []
  })
  assert.deepEqual(refused, [])
})

test('lets a link from elsewhere lead to the console, and to no data', async (t) => {
  const { port, auth } = await startServer(t)
  const lines = `Host: 127.0.0.1:${port}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n${auth}`
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const { code } = await sendRaw(port, rawRequest(operation, lines))
    assert.equal(code === 'host-refused', operation.guarded, operation.name)
  }
})

/** As if the guard were not there: what it looks at is always good. */
const withoutGuard = (made: Hono<Env>): Hono<Env> => {
  const fetch: typeof made.fetch = async (request, bindings) => {
    const good = (headers: Headers): void => {
      headers.set('host', `127.0.0.1:${new URL(request.url).port}`)
      headers.delete('origin')
      headers.delete('sec-fetch-site')
    }
    return await made.fetch(await withHeaders(request, good), bindings)
  }
  return { fetch } as Hono<Env>
}

test('catches an application without the guard', async (t) => {
  const forgery: Forgery = { name: 'Host evil.example', lines: (port) => `Host: evil.example:${port}\r\n` }
  const { accepted } = await findAccepted(t, { app: withoutGuard }, pairs(routes, [forgery]))
  assert.equal(accepted.length, routes.length)
})
