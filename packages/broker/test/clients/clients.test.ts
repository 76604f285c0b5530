// Clients outside of a sandbox: the same verdicts, words and records as on a session's socket, for the session of the token alone.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { type Digest, limits, type ServerName, toServiceError, type ToolResult } from '@gatehouse/contracts'
import { sha256, waitFor } from '@gatehouse/kernel'
import { maxWaiting } from '../../src/clients/client.ts'
import { ask } from '../fixtures/ask.ts'
import { type Bench, createBench, local, messages, sessionOne, sessionThree } from '../fixtures/bench.ts'

const token = sha256('the token of a client')
let bench: Bench
beforeEach(async () => {
  bench = await createBench()
  bench.gateway.catalog = { sample: local({ LOG: join(bench.directory, 'log') }) }
  bench.gateway.grants = { [sessionThree]: { sample: ['echo', 'slow', 'silent'] } }
  bench.gateway.clients = { [token]: sessionThree }
})
afterEach(() => bench.stop())

const context = (signal = new AbortController().signal) => ({ requestId: 'req', traceparent: undefined, signal })
const list = async (presented: Digest = token) => (await bench.broker.controlPlane.clientList({ token: presented }, context())).tools
const call = async (name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<ToolResult> =>
  bench.broker.controlPlane.clientCall({ token, call: { name, arguments: args } }, context(signal))
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => toServiceError(error).code,
  )
const sent = async (): Promise<number> =>
  (await messages(join(bench.directory, 'log'))).filter(({ method }) => method === 'tools/call').length

test('lists what is granted, calls it, and refuses the rest in the words of a sandbox, each with one record', async () => {
  await bench.start()
  assert.deepEqual(
    (await list()).map(({ name }) => name),
    ['sample__echo', 'sample__silent', 'sample__slow'],
  )
  assert.equal((await call('sample__echo', { text: 'hello' })).isError, false)
  const refused = await call('sample__env')
  bench.gateway.grants[sessionOne] = {}
  assert.deepEqual(refused, await bench.call('sample__env'))
  assert.match(JSON.stringify(refused), /no grant for the tool; ask for it with request_capability_change/)
  const records = (await bench.records()).filter(({ session }) => session === sessionThree)
  assert.deepEqual(
    records.map(({ op, server, tool, status, code }) => [op, server, tool, status, code]),
    [
      ['list', 'sample', undefined, 'ok', undefined],
      ['call', 'sample', 'echo', 'ok', undefined],
      ['call', 'sample', 'env', 'refused', 'not-granted'],
    ],
  )
  assert.ok(records.every(({ bytes }) => bytes > 0))
})

test('asks the gateway for the session of the token each time, and has no other way to one', async () => {
  await bench.start()
  assert.equal(await codeOf(list(sha256('another'))), 'unauthorized')
  await list()
  bench.gateway.clients = {}
  assert.equal(await codeOf(list()), 'unauthorized')
  assert.equal(await codeOf(call('sample__echo')), 'unauthorized')
  assert.equal(await sent(), 0)
})

test('serves nobody on a unit without the endpoint', async () => {
  await bench.start({ mcpEndpoint: false })
  assert.equal(await codeOf(list()), 'forbidden')
  assert.equal(await codeOf(call('sample__echo')), 'forbidden')
  assert.deepEqual(await bench.records(), [])
})

test('a sandbox stays who its socket says, whatever token and header of a client it sends', async () => {
  bench.gateway.clients = { [token]: sessionThree }
  await bench.start()
  const headers = {
    authorization: 'Bearer the token of a client',
    'mcp-session-id': sessionThree,
    'mcp-protocol-version': '2025-11-25',
    'mcp-method': 'tools/call',
    'x-gatehouse-session': sessionThree,
  }
  const answer = await ask(bench.socket(), '/tools', { headers })
  assert.equal(answer.text, '{"tools":[]}')
  const body = JSON.stringify({ name: 'sample__echo', arguments: {} })
  const called = JSON.parse((await ask(bench.socket(), '/call', { method: 'POST', headers, body })).text) as ToolResult
  assert.equal(called.error?.code, 'not-granted')
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  for (const path of ['/mcp', '/tools/mcp', '/.well-known/oauth-protected-resource/mcp'])
    assert.equal((await ask(bench.socket(), path, { method: 'POST', headers, body: message })).status, 404, path)
  assert.ok((await bench.records()).every(({ session }) => session === sessionOne))
  assert.equal(await sent(), 0)
})

test('a freeze, a revocation and the end of the session reach a call that runs', async () => {
  for (const [act, status, code] of [
    [() => ((bench.gateway.frozen = true), bench.listeners.on['freeze-changed']?.({})), 'refused', 'frozen'],
    [
      () => {
        bench.gateway.revoked = true
        bench.listeners.on['grant-changed']?.({ agentGroupID: 'team' as never, server: 'sample' as ServerName })
      },
      'refused',
      'revoked',
    ],
    [() => bench.listeners.on['session-closed']?.({ session: sessionThree }), 'cancelled', 'cancelled'],
  ] as const) {
    await bench.start()
    const before = await sent()
    const running = call('sample__silent')
    await waitFor(async () => (await sent()) > before, { what: 'the call at the server' })
    act()
    assert.equal((await running).error?.code, code)
    assert.deepEqual([(await bench.records()).at(-1)?.status, (await bench.records()).at(-1)?.code], [status, code])
    bench.gateway.frozen = false
    bench.gateway.revoked = false
    await bench.broker.stop()
  }
})

test('a client whose end was not heard of ends when the gateway is there again', async () => {
  await bench.start()
  const running = call('sample__silent')
  await waitFor(async () => (await sent()) > 0, { what: 'the call at the server' })
  const { grants } = bench.gateway.calls
  Object.assign(bench.gateway.calls, {
    grants: async (params: { session: string }) =>
      params.session === sessionThree
        ? { agentGroupID: null, frozen: false, pinning: 'refuse', grants: [] }
        : grants(params as Parameters<typeof grants>[0]),
  })
  await bench.listeners.onConnect()
  assert.ok(['cancelled', 'revoked'].includes((await running).error?.code ?? ''))
})

test('a caller that leaves cancels its call, with one record', async () => {
  await bench.start()
  const left = new AbortController()
  const running = call('sample__silent', {}, left.signal)
  await waitFor(async () => (await sent()) > 0, { what: 'the call at the server' })
  left.abort()
  await running
  assert.deepEqual(
    (await bench.settledRecords(1)).map(({ status }) => status),
    ['cancelled'],
  )
})

test('more calls than may run wait for their turn, and more than may wait are refused, each with one record', async () => {
  await bench.start({ isRated: false })
  const left = new AbortController()
  const many = limits.sessionCallsInFlight + maxWaiting + 5
  const running = Array.from({ length: many }, () => call('sample__silent', {}, left.signal))
  const refused = await Promise.race(running)
  assert.equal(refused.error?.code, 'busy')
  left.abort()
  const results = await Promise.all(running)
  assert.equal(results.filter(({ error }) => error?.code === 'busy').length, 5)
  assert.equal((await bench.settledRecords(many)).length, many)
  // Nobody who left has kept a place.
  assert.equal((await call('sample__echo', { text: 'x' })).isError, false)
})

test('a record that cannot be written leaves no result', async () => {
  await bench.start({ append: async () => Promise.reject(new Error('disk full')) })
  assert.equal((await call('sample__echo', { text: 'x' })).error?.code, 'audit-unwritable')
  assert.equal(await codeOf(list()), 'audit-unwritable')
})
