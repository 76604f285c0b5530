// What the sandbox's door answers to requests that are not what it serves.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { ask } from '../fixtures/ask.ts'
import { type Bench, createBench, local, sessionOne } from '../fixtures/bench.ts'

let bench: Bench
before(async () => {
  bench = await createBench()
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: ['echo', 'env'] } }
  await bench.start()
})
after(() => bench.stop())

const problem = async (path: string, options?: Parameters<typeof ask>[2]) => {
  const answer = await ask(bench.socket(), path, options)
  assert.equal(answer.type, 'application/problem+json')
  return JSON.parse(answer.text) as { status: number; code: string; detail: string; requestId: string; errors?: { pointer: string }[] }
}
const post = (body: string | Buffer) => problem('/call', { method: 'POST', body })

test('answers 400 to what is no JSON, without repeating it', async () => {
  const { status, code, detail, requestId } = await post('{"name": "sample__echo", marker')
  assert.deepEqual([status, code], [400, 'malformed'])
  assert.match(requestId, /^[0-9a-f-]{36}$/)
  assert.doesNotMatch(detail, /marker/)
})

for (const [what, body, pointer] of [
  ['a list', '[]', '/name'],
  ['no name', '{}', '/name'],
  ['an empty name', '{"name":""}', '/name'],
  ['a name that is too long', JSON.stringify({ name: 'x'.repeat(257) }), '/name'],
  ['arguments that are no object', '{"name":"a__b","arguments":"x"}', '/arguments'],
  ['an unknown member', '{"name":"a__b","server":"other"}', '/server'],
] as const)
  test(`answers 400 to ${what}, and points at it`, async () => {
    const { status, code, errors } = await post(body)
    assert.deepEqual([status, code], [400, 'malformed'])
    assert.equal(errors?.[0]?.pointer, pointer)
  })

test('answers 400 to arguments that are nested too deep', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  assert.equal((await post(`{"name":"sample__echo","arguments":{"a":${deep}}}`)).status, 400)
})

test('answers 413 to a body that is too large, whether it says so or not', async () => {
  const body = Buffer.alloc(limits.callBody + 1, 0x20)
  assert.equal((await post(body)).code, 'too-large')
  const chunked = await problem('/call', { method: 'POST', body, headers: { 'transfer-encoding': 'chunked' } })
  assert.equal(chunked.status, 413)
})

test('takes a body of the largest size, and shows as much of its echo as a model may read', async () => {
  const frame = JSON.stringify({ name: 'sample__echo', arguments: { text: '' } })
  const text = 'x'.repeat(limits.callBody - frame.length)
  const answer = await bench.call('sample__echo', { text })
  assert.equal(answer.content[0]?.['text'], text.slice(0, limits.resultText))
  assert.equal(
    answer.content[1]?.['text'],
    `[cut: ${text.length - limits.resultText} more bytes of text are not shown; at most 262144 are]`,
  )
})

test('answers 404 on other paths and 405 to other methods', async () => {
  for (const path of ['/', '/mcp', '/tools/', '/__proto__', '/call/x']) assert.equal((await problem(path)).code, 'not-found', path)
  assert.equal((await problem('/tools', { method: 'POST' })).code, 'method-not-allowed')
  assert.equal((await problem('/call')).code, 'method-not-allowed')
  assert.equal((await problem('/call', { method: 'DELETE' })).status, 405)
})

test('lists the granted tools alone, sorted, with their schemas and without members of its server', async () => {
  assert.deepEqual(
    await bench.tools(),
    ['echo', 'env'].map((tool) => ({
      name: `sample__${tool}`,
      server: 'sample',
      tool,
      description: `The tool ${tool}`,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    })),
  )
})

test('refuses headers that are too large', async () => {
  const answer = await ask(bench.socket(), '/tools', { headers: { 'x-long': 'x'.repeat(limits.requestHeaders + 1) } })
  assert.equal(answer.status, 431)
})

test('serves no more than its share of connections', async () => {
  const sockets = Array.from({ length: limits.sessionConnections }, () => connect(bench.socket()))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  // One that was answered was accepted: the server now counts all of them.
  sockets[0]?.write('GET /tools HTTP/1.1\r\nhost: x\r\n\r\n')
  if (sockets[0] !== undefined) await once(sockets[0], 'data')
  await assert.rejects(ask(bench.socket(), '/tools'))
  for (const socket of sockets) socket.destroy()
})
