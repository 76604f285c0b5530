// Streams of events, however a server cuts them, and when one that ended is asked for again.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { limits } from '@gatehouse/contracts'
import type { Transport } from '@modelcontextprotocol/client'
import { createMcpFetch } from '../../../src/upstream/http/fetch.ts'
import { filterNoise } from '../../../src/upstream/http/filter-noise.ts'
import { createReconnection } from '../../../src/upstream/http/transport.ts'

const piecesOf = async (chunks: readonly string[]): Promise<string[]> => {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const pieces: string[] = []
  for await (const piece of filterNoise(body(), { isAsked: true })) pieces.push(Buffer.from(piece).toString())
  return pieces
}

test('gives every kind of line end as a line feed, wherever the chunks end', async () => {
  const text = 'data: a\r\ndata: ü\rdata: c\n\r\n\r\rid: 1\n\nlast\r'
  const expected = 'data: a\ndata: ü\ndata: c\n\n\n\nid: 1\n\nlast\n'
  const bytes = Buffer.from(text)
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
    async function* body(): AsyncGenerator<Uint8Array> {
      yield* chunks
    }
    const pieces: Uint8Array[] = []
    for await (const piece of filterNoise(body(), { isAsked: true })) pieces.push(piece)
    assert.equal(Buffer.concat(pieces).toString(), expected, String(size))
  }
})

test('gives many lines in pieces of few, and one long line whole', async () => {
  const event = 'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'
  const pieces = await piecesOf([event.repeat(1_000)])
  assert.equal(pieces.join(''), event.repeat(1_000))
  assert.ok(pieces.length > 30 && pieces.every((piece) => piece.split('\n').filter((line) => line !== '').length <= 32))
  assert.equal((await piecesOf([`data: ${'x'.repeat(1_000_000)}`])).length, 1)
  assert.equal((await piecesOf(['\r'.repeat(100_000)])).length, 1)
})

const asked = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/call"}' }
const answered = (body: string, type: string, init: RequestInit = asked): Promise<Response> =>
  createMcpFetch(async () => new Response(body, { headers: { 'content-type': type } }))('http://localhost/', init)

test('names events plainly, since under an odd name they would be read whole', async () => {
  for (const type of ['text/event-stream;,', 'Text/Event-Stream; a="b', 'text/event-stream;charset=utf-8'])
    assert.equal((await answered('data: {}\n\n', type)).headers.get('content-type'), 'text/event-stream')
  assert.equal((await answered('x', 'text/event-streams')).headers.get('content-type'), 'text/event-streams')
})

test('reads no answer to what asks nothing: a notification, an answer of ours however long, the end of a session', async () => {
  const unread = [
    { method: 'POST', body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' },
    { method: 'POST', body: '{"result":{},"jsonrpc":"2.0","id":"a"}' },
    { method: 'POST', body: JSON.stringify({ result: {}, jsonrpc: '2.0', id: '"method":'.repeat(1_000) }) },
    { method: 'DELETE' },
  ]
  for (const init of unread) assert.equal((await answered('data: {}\n\n', 'text/event-stream', init)).body, null)
  const large = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: 'x'.repeat(10_000) })
  assert.notEqual((await answered('{}', 'application/json', { method: 'POST', body: large })).body, null)
})

test('reads so many messages of a list, and one that is no list as it is', async () => {
  const list = JSON.stringify(Array.from({ length: 65 }, (_, at) => at))
  assert.equal(((await (await answered(list, 'application/json')).json()) as number[]).length, 64)
  assert.deepEqual(await (await answered('{"a":[1]}', 'application/json')).json(), { a: [1] })
})

const scheduled = (t: TestContext, delay: number): (() => number) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let runs = 0
  createReconnection().scheduler(() => (runs += 1), delay, 0)
  return () => runs
}

for (const delay of [0, 1])
  test(`asks again for a stream after a moment where the server says ${delay} ms`, (t) => {
    const runs = scheduled(t, delay)
    t.mock.timers.tick(249)
    assert.equal(runs(), 0)
    t.mock.timers.tick(1)
    assert.equal(runs(), 1)
  })

for (const delay of [2 ** 31, 99_999_999_999, Infinity])
  test(`asks again for a stream within half a minute where the server says ${delay} ms`, (t) => {
    const runs = scheduled(t, delay)
    t.mock.timers.tick(limits.upstreamRetryMost - 1)
    assert.equal(runs(), 0)
    t.mock.timers.tick(1)
    assert.equal(runs(), 1)
  })

test('does not ask again for a stream that was cut for its size, but for the next one', async () => {
  const streams = createReconnection()
  const transport: Partial<Transport> = {}
  streams.watch(transport as Transport)
  transport.onerror?.(new Error('SSE stream disconnected: OutboundFailure: the server answered with more than may be read'))
  assert.throws(() => streams.scheduler(() => undefined, 0, 0), /AnswerRefused: the answer of the server is larger than/)
  await Promise.resolve()
  const stop = streams.scheduler(() => undefined, 0, 0)
  if (typeof stop === 'function') stop()
})
