// One exchange: what is sent, and what becomes of every way in which it can fail.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { codes, isServiceError } from '@gatehouse/contracts'
import { type ClientOptions, createClient, type Fetch } from '../src/index.ts'

const problem = { type: 'urn:gatehouse:error:conflict', title: 'x', status: 409, detail: 'it is held', code: 'conflict', requestId: 'r' }
const ready = { status: 'ready', sandbox: 'ok' }

const serve = async (t: TestContext, listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}`
}
const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): Fetch =>
  () =>
    Promise.resolve(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }))
const clientOf = (fetch: Fetch, options: Partial<ClientOptions> = {}) => createClient({ address: 'http://unit.test', fetch, ...options })

const failure = async (act: Promise<unknown>) => {
  const error = await act.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(isServiceError(error), String(error))
  return error
}

test('sends token, request id, query and body, and nothing that was not given', async () => {
  const sent: { url: string; init: RequestInit }[] = []
  const fetch: Fetch = (url, init) => {
    sent.push({ url, init })
    return Promise.resolve(Response.json({ messages: [] }))
  }
  await clientOf(fetch, { token: 't', address: 'http://unit.test/' }).chat.messages(
    'a/b',
    { after: 3, limit: undefined },
    { requestId: 'request-0001' },
  )
  await clientOf(fetch).chat.messages('a')
  assert.equal(sent[0]?.url, 'http://unit.test/v1/ui/chat/a%2Fb/messages?after=3')
  assert.deepEqual(sent[0]?.init.headers, { Authorization: 'Bearer t', 'X-Request-Id': 'request-0001' })
  assert.equal(sent[1]?.url, 'http://unit.test/v1/ui/chat/a/messages')
  assert.deepEqual(sent[1]?.init.headers, {})
  assert.equal(sent[1]?.init.redirect, 'error')
})

test('turns every problem into the error of its code', async () => {
  for (const [code, { status }] of Object.entries(codes)) {
    const error = await failure(clientOf(answering(status, { ...problem, code, status })).status())
    assert.equal(error.code, code)
    assert.equal(error.detail, 'it is held')
  }
})

test('takes an unknown code for an internal error and keeps what it says', async () => {
  const error = await failure(clientOf(answering(418, { ...problem, code: 'teapot', hint: 'use a kettle' })).status())
  assert.deepEqual([error.code, error.detail, error.hint], ['internal', 'it is held', 'use a kettle'])
})

test('keeps further members and the time to wait', async () => {
  const body = { ...problem, code: 'rate-limited', changeID: 'chg_1', list: [1] }
  const error = await failure(clientOf(answering(429, body, { 'retry-after': '7' })).status())
  assert.deepEqual(error.extra, { requestId: 'r', changeID: 'chg_1', retryAfter: '7' })
})

test('says that something else answers at the address', async () => {
  for (const [status, body] of [
    [502, '<html>Bad gateway</html>'],
    [401, { error: 'no' }],
    [200, '<html>'],
    [200, { other: true }],
    [204, ''],
  ] as const) {
    const fetch = status === 204 ? () => Promise.resolve(new Response(null, { status })) : answering(status, body)
    const error = await failure(clientOf(fetch).status())
    assert.equal(error.code, 'internal')
    assert.match(error.hint ?? '', /^check that /)
  }
})

test('says how to start a unit where none answers', async (t) => {
  const address = await serve(t, (request) => request.socket.destroy())
  for (const gone of [address, 'http://127.0.0.1:1']) {
    const error = await failure(createClient({ address: gone }).status())
    assert.equal(error.code, 'unavailable')
    assert.match(error.detail, new RegExp(gone))
    assert.match(error.hint ?? '', /^start it with /)
  }
})

test('gives up after its time', async (t) => {
  const address = await serve(t, () => undefined)
  const error = await failure(createClient({ address }).status({ timeout: 20 }))
  assert.equal(error.code, 'deadline')
})

test('rejects with the reason of the caller that gave up', async (t) => {
  const asked = Promise.withResolvers<undefined>()
  const address = await serve(t, () => asked.resolve(undefined))
  const controller = new AbortController()
  const answer = createClient({ address }).status({ signal: controller.signal })
  await asked.promise
  const reason = new Error('the user left')
  controller.abort(reason)
  await assert.rejects(answer, (error) => error === reason)
})

test('follows no redirect, so the token goes nowhere else', async (t) => {
  const seen: (string | undefined)[] = []
  const elsewhere = await serve(t, (request, response) => {
    seen.push(request.headers.authorization)
    response.end(JSON.stringify(ready))
  })
  const address = await serve(t, (_, response) => response.writeHead(307, { location: `${elsewhere}/readyz` }).end())
  assert.equal((await failure(createClient({ address, token: 't' }).ready())).code, 'unavailable')
  assert.deepEqual(seen, [])
})
