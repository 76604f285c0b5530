// Remote servers over streamable HTTP.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { limits, type ServerName } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { ask } from '../../fixtures/ask.ts'
import { type Bench, createBench, sessionOne } from '../../fixtures/bench.ts'
import { type HttpFixture, startHttpServer } from '../../fixtures/http-server.ts'

let bench: Bench
let remote: HttpFixture
beforeEach(async () => {
  bench = await createBench()
  bench.gateway.grants = { [sessionOne]: { remote: [] } }
})
afterEach(async () => {
  await bench.stop()
  await remote.close()
})

const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
const start = async (
  headers: Record<string, string> = {},
  options: { json?: boolean; unknown?: 400 | 404; refuses?: RegExp; variables?: Record<string, string> } = {},
) => {
  remote = await startHttpServer(options)
  bench.gateway.catalog = { remote: { transport: 'http', url: remote.url, headers } }
  await bench.start(options.variables === undefined ? {} : { variables: options.variables })
}
const state = async () => (await bench.broker.controlPlane.states({}, context))['remote']
const code = async (tool: string) => (await bench.call(`remote__${tool}`)).error?.code

for (const json of [false, true])
  test(`lists and calls a remote server that answers with ${json ? 'JSON' : 'a stream of events'}`, async () => {
    await start({}, { json })
    assert.deepEqual(
      (await bench.tools()).map(({ tool }) => tool),
      ['big', 'hello'],
    )
    assert.deepEqual(await bench.call('remote__hello'), { content: [{ type: 'text', text: 'hello' }], isError: false })
  })

test('sends the expanded headers, and lets their values out nowhere', async () => {
  await start({ Authorization: 'Bearer ${TOKEN}' }, { variables: { TOKEN: 'tok-tok-tok-tok' } })
  await bench.call('remote__hello')
  assert.ok(remote.seen.length > 0 && remote.seen.every(({ authorization }) => authorization === 'Bearer tok-tok-tok-tok'))
  assert.doesNotMatch(bench.logLines.join(), /tok-tok/)
  assert.deepEqual(bench.secrets, ['tok-tok-tok-tok'])
})

test('sends a new header as soon as nothing but its value changes in the catalog', async () => {
  await start({ Authorization: 'Bearer old' })
  assert.equal((await bench.call('remote__hello')).isError, false)
  bench.gateway.catalog['remote'] = { transport: 'http', url: remote.url, headers: { Authorization: 'Bearer new' } }
  bench.listeners.on['catalog-changed']?.({})
  await waitFor(async () => (await state())?.status === 'idle', { what: 'the new value' })
  assert.equal((await bench.call('remote__hello')).isError, false)
  assert.equal(remote.seen.findLast(({ method }) => method === 'POST')?.authorization, 'Bearer new')
})

for (const unknown of [404, 400] as const)
  test(`builds a session anew that the server has forgotten and answers with ${unknown}, and makes the call once`, async () => {
    await start({}, { unknown })
    await bench.call('remote__hello')
    remote.forget()
    assert.equal((await bench.call('remote__hello')).isError, false)
    assert.deepEqual(
      (await bench.records()).map(({ status }) => status),
      ['ok', 'ok'],
    )
  })

test('keeps a session of which one call is a bad request, and does not make that call again', async () => {
  await start()
  await bench.call('remote__hello')
  const before = remote.seen.filter(({ method }) => method === 'POST').length
  let calls = 0
  remote.instead = (request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      calls += body.includes('tools/call') ? 1 : 0
      response
        .writeHead(body.includes('tools/call') ? 400 : 200, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":1,"result":{}}')
    })
  }
  assert.equal(await code('hello'), 'upstream-error')
  remote.instead = undefined
  assert.equal((await bench.call('remote__hello')).isError, false)
  assert.equal(calls, 1)
  assert.equal(remote.seen.filter(({ method }) => method === 'POST').length, before + 3, 'the call, the question, the next call')
})

test('does not make a call again that was refused by a server which refuses every ping too: it may have looked at the call', async () => {
  await start({}, { refuses: /"(?:tools\/call|ping)"/ })
  assert.equal(await code('hello'), 'upstream-error')
  assert.equal(remote.refused.filter((body) => body.includes('tools/call')).length, 1)
})

test('gives up on a server that forgets every session at once', async () => {
  await start()
  await bench.call('remote__hello')
  remote.instead = (request, response) => void request.resume().on('end', () => response.writeHead(404).end())
  assert.equal(await code('hello'), 'server-unavailable')
})

test('refuses an answer that is too large in one event, and goes on', async () => {
  await start()
  assert.equal(await code('big'), 'too-large')
  assert.equal((await bench.call('remote__hello')).isError, false)
})

test('refuses an answer that is too large in JSON, and goes on', async () => {
  await start({}, { json: true })
  assert.equal(await code('big'), 'too-large')
  assert.equal((await bench.call('remote__hello')).isError, false)
  assert.ok(limits.upstreamMessage < 9 * 1024 * 1024)
})

test('follows no redirect, and sends no header after it', async () => {
  const other = await startHttpServer()
  await start({ 'X-Key': 'k' })
  remote.instead = (request, response) => void request.resume().on('end', () => response.writeHead(307, { location: other.url }).end())
  await assert.rejects(async () => bench.broker.controlPlane.probe({ name: 'remote' as ServerName }, context), {
    detail: 'the server answered with a redirect, which is never followed',
  })
  remote.instead = (request, response) => void request.resume().on('end', () => response.writeHead(302, { location: '/mcp/' }).end())
  assert.equal(await code('hello'), 'server-unavailable')
  assert.equal(other.seen.length, 0)
  assert.ok(remote.seen.length > 0)
  await other.close()
})

test('does not ask again soon after its credentials were refused', async () => {
  await start()
  remote.instead = (request, response) => void request.resume().on('end', () => response.writeHead(401).end('who are you'))
  assert.equal(await code('hello'), 'server-unavailable')
  const asked = remote.seen.length
  const { error } = await bench.call('remote__hello')
  assert.equal(remote.seen.length, asked)
  assert.ok((error?.retryAfter ?? 0) > 60)
  assert.equal((await state())?.lastError, 'the server refused the credentials (HTTP 401)')
  assert.doesNotMatch(bench.logLines.join(), /who are you/)
})

test('answers upstream-error to an HTTP error of one call, and keeps the connection', async () => {
  await start()
  await bench.call('remote__hello')
  remote.instead = (request, response) => void request.resume().on('end', () => response.writeHead(500).end('marker-of-the-server'))
  const answer = await bench.call('remote__hello')
  assert.equal(answer.error?.code, 'upstream-error')
  assert.match(answer.error?.message ?? '', /whether the call took effect is unknown/)
  assert.doesNotMatch(JSON.stringify(answer) + bench.logLines.join(), /marker-of-the-server/)
  remote.instead = undefined
  assert.equal((await bench.call('remote__hello')).isError, false)
  assert.equal(remote.seen.filter((headers) => headers.method === 'POST' && headers['mcp-session-id'] === undefined).length, 2)
})

test('sees at the next listing that a server is lost, not only at the next call', async () => {
  await start()
  await bench.call('remote__hello')
  await waitFor(() => remote.seen.some(({ method }) => method === 'GET'), { what: 'a stream for announcements' })
  remote.instead = (request, response) => void request.resume().on('end', () => response.writeHead(404).end())
  await waitFor(
    async () => {
      remote.announce()
      return (await state())?.status === 'down'
    },
    { what: 'the loss' },
  )
  assert.equal((await state())?.lastError, 'the server has forgotten the session')
  assert.match(bench.logLines.join(), /could not list the tools[^\n]*the server has forgotten the session/)
  remote.instead = undefined
  await waitFor(async () => !(await bench.call('remote__hello')).isError, { what: 'the server to be used again' })
})

test('says that a server is unavailable when it is gone, and finds it again', async () => {
  await start()
  await bench.call('remote__hello')
  const { port } = new URL(remote.url)
  await remote.close()
  assert.equal(await code('hello'), 'server-unavailable')
  assert.equal((await state())?.status, 'down')
  await new Promise<void>((resolve) => void remote.server.listen(Number(port), '127.0.0.1', resolve))
  await waitFor(async () => !(await bench.call('remote__hello')).isError, { what: 'the server to be used again' })
})

test('ends a call at the server when its caller leaves', async () => {
  await start()
  await bench.call('remote__hello')
  const isCut = Promise.withResolvers<void>()
  const isAsked = Promise.withResolvers<void>()
  const cancelled = Promise.withResolvers<string>()
  remote.instead = (request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      if (body.includes('notifications/cancelled')) {
        cancelled.resolve(body)
        response.writeHead(202).end()
        return
      }
      response.on('close', () => isCut.resolve())
      isAsked.resolve()
    })
  }
  const leaving = new AbortController()
  const answer = ask(bench.socket(), '/call', { method: 'POST', body: JSON.stringify({ name: 'remote__hello' }), signal: leaving.signal })
  await isAsked.promise
  leaving.abort()
  await assert.rejects(answer)
  await isCut.promise
  assert.match(await cancelled.promise, /"requestId":1000000/)
  assert.equal((await bench.settledRecords(2)).at(-1)?.status, 'cancelled')
})
