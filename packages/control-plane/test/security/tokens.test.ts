// Tokens that are not quite the right one, against every route: only exactly that one passes.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sha256 } from '@gatehouse/kernel'
import type { Hono } from 'hono'
import type { Env } from '../../src/env.ts'
import { operations } from '../fixtures/operations.ts'
import { type ServerOptions, startServer } from '../fixtures/server.ts'
import { pairs, rawRequest, sendRaw, sweep, withHeaders } from '../fixtures/sweep.ts'
import { token } from '../fixtures/unit.ts'

interface Variant {
  readonly name: string
  /** Header lines, each with its end. */
  readonly lines: string
  readonly query?: string
}

const one = (value: string): Variant => ({ name: value.slice(0, 60), lines: `Authorization: ${value}\r\n` })

const variants: readonly Variant[] = [
  { name: 'none', lines: '' },
  ...[
    '',
    'Bearer',
    'Bearer ',
    token,
    `Bearer${token}`,
    `Bearer:${token}`,
    `Bearer=${token}`,
    `Bearer\t${token}`,
    `Token ${token}`,
    `Basic ${token}`,
    `Basic ${btoa(`:${token}`)}`,
    `Basic ${btoa(`admin:${token}`)}`,
    `Digest ${token}`,
    `Negotiate ${token}`,
    `DPoP ${token}`,
    `Bearer "${token}"`,
    `Bearer '${token}'`,
    `Bearer <${token}>`,
    `Bearer token=${token}`,
    `Bearer ${token},`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer ${token};`,
    `Bearer ${token} ${token}`,
    `Bearer x ${token}`,
    `Bearer ${token}x`,
    `Bearer x${token}`,
    `Bearer ${token.slice(1)}`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token.toUpperCase()}`,
    `Bearer ${token.replaceAll('-', '_')}`,
    `Bearer ${token.replaceAll('-', '%2D')}`,
    `Bearer ${encodeURIComponent(token)}%00`,
    `Bearer ${token}\\0`,
    `Bearer ${token.split('').toReversed().join('')}`,
    `Bearer ${sha256(token)}`,
    `Bearer ${btoa(token)}`,
    `Bearer ${token.replace('o', '\u00f6')}`,
    'Bearer null',
    'Bearer undefined',
    'Bearer *',
    'Bearer gatehouse-demo-token-not-a-secret-0000',
    `Bearer ${'x'.repeat(7_000)}`,
  ].map(one),
  { name: 'two headers', lines: `Authorization: Bearer ${token}\r\nAuthorization: Bearer ${token}\r\n` },
  { name: 'a wrong one and a right one', lines: `Authorization: Bearer wrong\r\nAuthorization: Bearer ${token}\r\n` },
  { name: 'a cookie', lines: `Cookie: token=${token}; authorization=Bearer ${token}\r\n` },
  { name: 'a proxy header', lines: `Proxy-Authorization: Bearer ${token}\r\n` },
  { name: 'another header', lines: `X-Api-Key: ${token}\r\nX-Authorization: Bearer ${token}\r\n` },
  { name: 'a method override', lines: `X-HTTP-Method-Override: GET\r\nX-Original-URL: /healthz\r\n` },
  { name: 'the query', lines: '', query: `token=${token}&access_token=${token}&authorization=Bearer%20${token}` },
]

const routes = operations.filter(({ guarded }) => guarded)

const findAccepted = async (t: TestContext, options: ServerOptions, list = variants) => {
  let now = 0
  // Time passes so fast that wrong tokens are never too many.
  const { port, host, calls } = await startServer(t, { ...options, now: () => (now += 600_000) })
  const bodies = new Set<string>()
  const accepted = await sweep(pairs(routes, list), async ([operation, { name, lines, query }]) => {
    const path = `${operation.sample.path}${query === undefined ? '' : `${operation.sample.path.includes('?') ? '&' : '?'}${query}`}`
    const asked = { ...operation, sample: { ...operation.sample, path } }
    const { status, whole } = await sendRaw(port, rawRequest(asked, `Host: ${host}\r\nX-Request-Id: the-same-id\r\n${lines}`))
    if (status === 401) bodies.add(whole.slice(whole.indexOf('\r\n\r\n')))
    const isChallenged =
      operation.path === '/mcp' ? /^WWW-Authenticate: Bearer resource_metadata="[^"\s]+"\r$/im : /^WWW-Authenticate: Bearer\r$/im
    return status === 401 && isChallenged.test(whole) ? [] : [`${operation.name} took ${name} with ${status}`]
  })
  return { accepted, bodies, calls }
}

test('refuses every variant of a token at every route, with the same body, and does nothing', async (t) => {
  assert.ok(variants.length >= 40)
  assert.ok(routes.length >= 35)
  const { accepted, bodies, calls } = await findAccepted(t, {})
  assert.deepEqual(accepted, [])
  assert.equal(bodies.size, 1)
  assert.deepEqual(new Set(calls.map(({ name }) => name)), new Set(['gateway.permit']))
})

test('takes the token itself, the scheme in any case', async (t) => {
  const { port, host } = await startServer(t)
  for (const value of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`, `Bearer ${token} `]) {
    const operation = operations.find(({ path }) => path === '/v1/status')
    assert.ok(operation)
    assert.equal((await sendRaw(port, rawRequest(operation, `Host: ${host}\r\nAuthorization: ${value}\r\n`))).status, 200, value)
  }
})

/** As if it looked for the token anywhere and in any case of letters. */
const generous = (made: Hono<Env>): Hono<Env> => {
  const fetch: typeof made.fetch = async (request, bindings) => {
    const said = `${request.url} ${[...request.headers.values()].join(' ')}`.toLowerCase()
    const take = (headers: Headers): void => {
      if (said.includes(token)) headers.set('authorization', `Bearer ${token}`)
    }
    return await made.fetch(await withHeaders(request, take), bindings)
  }
  return { fetch } as Hono<Env>
}

test('catches an application that looks for the token too generously', async (t) => {
  const { accepted } = await findAccepted(
    t,
    { app: generous },
    variants.filter(({ name }) => name === 'the query' || name === 'a cookie'),
  )
  assert.ok(accepted.length > 40, `${accepted.length}`)
})
