// Every path with every method over a real socket: whoever asks gets an answer that says what is wrong, never a closed connection.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { limits, loginCallbackPath } from '@gatehouse/contracts'
import { createEvents } from '../../src/events/events.ts'
import { mcpPath } from '../../src/problem.ts'
import { operations } from '../fixtures/operations.ts'
import { bodyOf, exchange } from '../fixtures/raw.ts'
import { type ServerOptions, startServer } from '../fixtures/server.ts'
import { pairs, sweep } from '../fixtures/sweep.ts'

/** Those of the parser of Node, the ones that no program may set included, and one that nobody knows. */
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'QUERY', 'PROPFIND', 'PURGE', 'M-SEARCH']

interface Place {
  readonly path: string
  /** Empty where nothing is. */
  readonly allowed: ReadonlySet<string>
}

const places: readonly Place[] = [
  ...Array.from(Map.groupBy(operations, ({ path }) => path).values(), (group) => ({
    path: group[0]?.sample.path ?? '/',
    allowed: new Set(group.map(({ method }) => method)),
  })),
  { path: '/nowhere', allowed: new Set() },
]

interface Answered {
  readonly status: number
  readonly head: string
  readonly body: string
}

const ask = async (port: number, lines: readonly string[]): Promise<Answered> => {
  const whole = await exchange(port, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`)
  const end = whole.indexOf('\r\n\r\n')
  return { status: Number(whole.slice(9, 12)), head: whole.slice(0, Math.max(end, 0)), body: whole.slice(end + 4) }
}

/** What is wrong with an answer; nothing where it is one of the declared. */
const faultsOf = (method: string, { path, allowed }: Place, { status, head, body }: Answered): readonly string[] => {
  const name = `${method} ${path}`
  if (!(status >= 200 && status < 600)) return [`${name}: no answer`]
  if (method === 'HEAD') return body === '' ? [] : [`${name}: ${status} with a body`]
  if (status >= 500) return [`${name}: ${status}`]
  if (status < 400) return []
  // The endpoint of MCP answers what its protocol refuses in its protocol's own form.
  if (path === mcpPath && status === 406) return /^content-type: application\/json/im.test(head) ? [] : [`${name}: 406 in no form of MCP`]
  if (path === loginCallbackPath && status === 404) return /^content-type: text\/html/im.test(head) ? [] : [`${name}: 404 is no page`]
  if (!/^content-type: application\/problem\+json/im.test(head)) return [`${name}: ${status} is no problem document`]
  const isOther = allowed.size > 0 && !allowed.has(method)
  if (isOther && (status !== 405 || !/^allow: /im.test(head))) return [`${name}: ${status} ${String(bodyOf(`\r\n\r\n${body}`).detail)}`]
  return []
}

test('answers every method at every path, with 405 and Allow where the path does not have it', async (t) => {
  const { port, host, auth } = await startServer(t)
  const faults = await sweep(pairs(methods, places), async ([method, place]) =>
    faultsOf(method, place, await ask(port, [`${method} ${place.path} HTTP/1.1`, `Host: ${host}`, auth.trim()])),
  )
  assert.deepEqual(faults, [])
})

test('answers who asks to switch to another protocol as if it did not', async (t) => {
  const { port, host, auth } = await startServer(t)
  for (const protocol of ['websocket', 'h2c']) {
    const { status, body } = await ask(port, ['GET /v1/status HTTP/1.1', `Host: ${host}`, auth.trim(), `Upgrade: ${protocol}`])
    assert.equal(status, 200)
    assert.equal(JSON.parse(body).version, '0.0.0-test')
  }
})

/** As many readers of one principal as may be, and refusals held back as long as in a unit. */
const startFull = async (t: TestContext, options: ServerOptions = {}) => {
  const server = await startServer(t, { wait: pause, ...options, events: createEvents({ mostOfOne: 1 }) })
  const first = connect(server.port, '127.0.0.1')
  t.after(() => first.destroy())
  first.write(`GET /v1/events HTTP/1.1\r\nHost: ${server.host}\r\n${server.auth}\r\n`)
  await once(first, 'data')
  return server
}

for (const method of ['GET', 'HEAD'])
  test(`answers 429 to one ${method} of events too many, with the time to wait`, async (t) => {
    const { port, host, auth, events } = await startFull(t)
    const { status, head, body } = await ask(port, [`${method} /v1/events HTTP/1.1`, `Host: ${host}`, auth.trim()])
    assert.equal(status, 429)
    assert.match(head, new RegExp(`^retry-after: ${limits.eventPing / 1_000}$`, 'im'))
    if (method === 'GET') assert.match(body, /"code":"rate-limited"/)
    assert.equal(events.count(), 1)
  })

test('answers HEAD of events with the headers alone, and remembers no reader', async (t) => {
  const { port, host, auth, events } = await startServer(t)
  const { status, head, body } = await ask(port, ['HEAD /v1/events HTTP/1.1', `Host: ${host}`, auth.trim()])
  assert.deepEqual([status, body, events.count()], [200, '', 0])
  assert.match(head, /^content-type: text\/event-stream/im)
})
