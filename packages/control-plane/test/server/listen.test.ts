// The listener on real sockets: what is not HTTP, what is too much, who is too slow, and how it starts and ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test, type TestContext } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { isRefusal } from '@gatehouse/kernel'
import { createApp } from '../../src/app.ts'
import { type Address, listen } from '../../src/server/listen.ts'
import { bodyOf, exchange } from '../fixtures/raw.ts'
import { createTestUnit, token } from '../fixtures/unit.ts'

const start = async (t: TestContext, times: Partial<Address> = {}) => {
  const listening = await listen({ host: '127.0.0.1', port: 0, ...times })
  const { unit, named } = createTestUnit()
  listening.serve(createApp({ unit, port: listening.port }).fetch)
  t.after(() => listening.close())
  const host = `127.0.0.1:${listening.port}`
  return { port: listening.port, host, named, auth: `Authorization: Bearer ${token}\r\n`, close: listening.close }
}
const statusOf = (answer: string): string => answer.slice(0, 12)

test('answers 400 with a problem document to what is not HTTP, and closes', async (t) => {
  const { port, host } = await start(t)
  const broken = [
    'hello\r\n\r\n',
    '\u0016\u0003\u0001\u0002',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `GET / HTTP/9.9\r\nHost: ${host}\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX: a\r\n b\u0000\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    `POST /v1/changes HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST /v1/changes HTTP/1.1\r\nHost: ${host}\r\nContent-Length: -1\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${'x'.repeat(limits.requestHeaders)}\r\n\r\n`,
  ]
  for (const bytes of broken) {
    const answer = await exchange(port, bytes)
    assert.equal(statusOf(answer), 'HTTP/1.1 400', bytes.slice(0, 60))
    assert.match(answer, /Connection: close/i)
    assert.equal(bodyOf(answer).code, 'malformed')
  }
})

test('takes requests in origin form for one host alone', async (t) => {
  const { port, host, auth, named } = await start(t)
  const refused = [
    `GET http://${host}/v1/status HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n`,
    `GET http://evil.example/v1/status HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n`,
    `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n`,
    `GET /v1/status HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n${auth}\r\n`,
    `GET /v1/status HTTP/1.1\r\n${auth}Connection: close\r\n\r\n`,
    `GET /v1\\status HTTP/1.1\r\nHost: ${host}\r\n${auth}Connection: close\r\n\r\n`,
    `GET /v1/status HTTP/1.1\r\nHost: a b\r\n${auth}Connection: close\r\n\r\n`,
  ]
  for (const bytes of refused) {
    const answer = await exchange(port, bytes)
    assert.equal(statusOf(answer), 'HTTP/1.1 400', bytes)
    assert.equal(bodyOf(answer).code, 'malformed')
  }
  assert.deepEqual(named('gateway.permit'), [])
})

test('refuses two tokens in two headers', async (t) => {
  const { port, host, auth } = await start(t)
  const answer = await exchange(port, `GET /v1/status HTTP/1.1\r\nHost: ${host}\r\n${auth}${auth}Connection: close\r\n\r\n`)
  assert.equal(statusOf(answer), 'HTTP/1.1 401')
})

test('answers a probe that names no host', async (t) => {
  const { port } = await start(t)
  assert.equal(statusOf(await exchange(port, 'GET /healthz HTTP/1.0\r\n\r\n')), 'HTTP/1.1 200')
})

test('serves requests one after another on one connection', async (t) => {
  const { port, host, auth } = await start(t)
  const one = `GET /v1/status HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n`
  const answer = await exchange(port, one, one, one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  assert.equal(answer.match(/HTTP\/1\.1 200/g)?.length, 3)
})

test('answers 413 to a body that grows beyond the limit, however it is sent', async (t) => {
  const { port, host, auth, named } = await start(t)
  const head = `POST /v1/changes HTTP/1.1\r\nHost: ${host}\r\n${auth}Content-Type: application/json\r\n`
  const chunk = `${(64 * 1024).toString(16)}\r\n${' '.repeat(64 * 1024)}\r\n`
  for (const pieces of [
    [`${head}Content-Length: ${limits.apiBody + 1}\r\n\r\n`],
    [`${head}Transfer-Encoding: chunked\r\n\r\n`, ...Array<string>(17).fill(chunk)],
  ]) {
    const answer = await exchange(port, ...pieces)
    assert.equal(statusOf(answer), 'HTTP/1.1 413')
    assert.equal(bodyOf(answer).code, 'too-large')
  }
  assert.deepEqual(named('gateway.submit'), [])
})

test('takes a body in chunks', async (t) => {
  const { port, host, auth } = await start(t)
  const body = '{"kind":"persona","agentGroupID":"a","after":{}}'
  const head = `POST /v1/changes HTTP/1.1\r\nHost: ${host}\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
  const pieces = body.split('').map((letter) => `1\r\n${letter}\r\n`)
  assert.equal(statusOf(await exchange(port, head, ...pieces, '0\r\n\r\n')), 'HTTP/1.1 202')
})

test('does not keep a client that never finishes its headers, nor one that never finishes its body', async (t) => {
  const { port, host, auth } = await start(t, { headersTime: 100, requestTime: 200, checkEvery: 20 })
  const slow = await exchange(port, 'GET /healthz HTTP/1.1\r\nX: ')
  assert.equal(statusOf(slow), 'HTTP/1.1 400')
  assert.match(String(bodyOf(slow).detail), /in time/)
  const head = `POST /v1/changes HTTP/1.1\r\nHost: ${host}\r\n${auth}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n`
  assert.equal(statusOf(await exchange(port, head, '{')), 'HTTP/1.1 400')
})

test('says that the address is in use with exit code 69', async (t) => {
  const other = createServer()
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const address = other.address()
  assert.ok(address !== null && typeof address === 'object')
  await assert.rejects(
    listen({ host: '127.0.0.1', port: address.port }),
    (error) => isRefusal(error) && error.exit === 69 && error.hint?.includes('--addr') === true,
  )
})

test('says that an address is not of this machine with exit code 78', async () => {
  await assert.rejects(listen({ host: '192.0.2.1', port: 0 }), (error) => isRefusal(error) && error.exit === 78)
})

test('lets a running request end when it closes', async () => {
  const listening = await listen({ host: '127.0.0.1', port: 0 })
  const asked = Promise.withResolvers<undefined>()
  const answered = Promise.withResolvers<Response>()
  listening.serve(() => {
    asked.resolve(undefined)
    return answered.promise
  })
  const answer = exchange(listening.port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${listening.port}\r\n\r\n`)
  await asked.promise
  const closed = listening.close()
  answered.resolve(new Response('done'))
  assert.match(await answer, /^HTTP\/1\.1 200[^]*done/)
  await closed
})

test('answers nothing where nothing was asked: a browser would take it for the answer to its next request', async (t) => {
  const { port } = await start(t, { headersTime: 100, requestTime: 100, checkEvery: 50 })
  assert.equal(await exchange(port), '')
  assert.equal(statusOf(await exchange(port, 'GET /healthz HTTP/1.1\r\n')), 'HTTP/1.1 400')
})

test('closes connections that ask nothing', async () => {
  const listening = await listen({ host: '127.0.0.1', port: 0 })
  listening.serve(() => new Response('ok'))
  const idle = connect(listening.port, '127.0.0.1')
  await once(idle, 'connect')
  const gone = once(idle, 'close')
  idle.resume()
  await Promise.all([listening.close(), gone])
})
