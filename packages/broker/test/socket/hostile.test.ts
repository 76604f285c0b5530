// Clients on `tools.sock` that mean harm: nobody else notices, nothing is done that was not asked for, and each call is one record.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { ask } from '../fixtures/ask.ts'
import { type Bench, createBench, local, messages, sessionOne, sessionTwo } from '../fixtures/bench.ts'
import { echo, post, Raw } from '../fixtures/raw.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'

let bench: Bench
beforeEach(async () => {
  bench = await createBench()
  bench.gateway.catalog = { sample: local({ LOG: join(bench.directory, 'log') }) }
  bench.gateway.grants = { [sessionOne]: { sample: [] }, [sessionTwo]: { sample: ['echo'] } }
})
afterEach(() => bench.stop())

const open = (): Raw => new Raw(bench.socket())
/** The texts that were echoed at the server: what it was really asked. */
const echoed = async (): Promise<unknown[]> =>
  (await messages(join(bench.directory, 'log')))
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => (params?.['arguments'] as Record<string, unknown> | undefined)?.['text'])
const neighbour = async (): Promise<void> =>
  assert.equal((await bench.call('sample__echo', { text: 'neighbour' }, sessionTwo)).isError, false)

test(`${full ? '10,000' : '300'} connections of one session leave the others alone, and go without a trace`, async () => {
  await bench.start({ isRated: false })
  const many = full ? 10_000 : 300
  const raws: Raw[] = []
  const began = performance.now()
  for (let count = 0; count < many; count += 1) {
    const raw = open()
    raws.push(raw)
    raw.write(count % 3 === 0 ? 'POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{' : 'GET /to')
    if (count % 100 === 99) await neighbour()
  }
  await neighbour()
  await waitFor(() => raws.filter(({ isClosed }) => isClosed).length >= many - limits.sessionConnections, {
    what: 'the refusal of those that are too many',
    deadline: 120_000,
  })
  for (const raw of raws) raw.destroy()
  await waitFor(async () => (await ask(bench.socket(), '/tools').catch(() => undefined))?.status === 200, { what: 'room again' })
  const own = (await bench.records()).filter(({ session, op }) => session === sessionOne && op === 'call')
  // Who is too slow makes room for another after its time, with a record of its own.
  const turns = 1 + Math.floor((performance.now() - began) / limits.requestTime)
  assert.ok(own.length <= limits.sessionConnections * turns, `${own.length} calls in ${turns} turns`)
  assert.deepEqual(
    own.filter(({ status, server }) => server !== '' || (status !== 'cancelled' && (turns === 1 || status !== 'refused'))),
    [],
  )
})

test('answers pipelined calls in their order, one record each', async () => {
  await bench.start()
  const raw = open()
  raw.write(Array.from({ length: 10 }, (_, at) => post(echo(`p${at}`))).join(''))
  await raw.answers(10)
  assert.deepEqual(
    [...raw.received.matchAll(/"text":"(p\d)"/g)].map(([, text]) => text),
    Array.from({ length: 10 }, (_, at) => `p${at}`),
  )
  assert.equal((await bench.records()).length, 10)
  raw.destroy()
})

test('cuts off who sends very many requests without waiting for an answer', async () => {
  await bench.start({ isRated: false })
  const raw = open()
  raw.write(post(JSON.stringify({ name: 'sample__slow', arguments: { ms: 60_000 } })))
  await waitFor(async () => (await echoed()).length === 1, { what: 'the first call' })
  raw.write(Array.from({ length: 2_000 }, () => post(echo('flood'))).join(''))
  await raw.closed()
  await waitFor(async () => (await bench.records()).length > 0, { what: 'the record' })
  assert.deepEqual(
    (await bench.records()).map(({ status }) => status),
    ['cancelled'],
  )
  assert.deepEqual(await echoed(), [undefined])
  await neighbour()
})

const smuggled = post(echo('smuggled'))
const body = echo('outer')
const framings: readonly (readonly [what: string, text: string])[] = [
  [
    'a length beside chunks',
    `POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  ['two lengths', `POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`],
  ['two lengths in one', `POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: 0, ${smuggled.length}\r\n\r\n${smuggled}`],
  ['a length with a sign', `POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: +0\r\n\r\n${smuggled}`],
  ['a length in hex', `POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: 0x1\r\n\r\n${smuggled}`],
  ['a negative length', `POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n${smuggled}`],
  ['a blank before the colon', `POST /call HTTP/1.1\r\nhost: x\r\ntransfer-encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`],
  ['an unknown coding', `POST /call HTTP/1.1\r\nhost: x\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`],
  ['chunks that are not last', `POST /call HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`],
  ['a folded header', `POST /call HTTP/1.1\r\nhost: x\r\ntransfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n${smuggled}`],
  ['a chunk without a size', `POST /call HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nz\r\n\r\n${smuggled}`],
  ['a chunk that ends early', `POST /call HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"nam\nX\r\n0\r\n\r\n${smuggled}`],
  ['bare line feeds', `POST /call HTTP/1.1\nhost: x\ncontent-length: 0\n\n${smuggled.replaceAll('\r\n', '\n')}`],
  ['a zero byte in a header', `POST /call HTTP/1.1\r\nhost: x\r\nx-a: \0\r\ncontent-length: 0\r\n\r\n${smuggled}`],
  ['a header without a name', `POST /call HTTP/1.1\r\nhost: x\r\n: x\r\ncontent-length: 0\r\n\r\n${smuggled}`],
  ['another protocol', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${smuggled}`],
  ['no protocol', `POST /call\r\n\r\n${smuggled}`],
  ['a method that is none', `PO\tST /call HTTP/1.1\r\nhost: x\r\n\r\n${smuggled}`],
]

for (const [what, text] of framings)
  test(`closes a connection whose framing is wrong: ${what}`, async () => {
    await bench.start()
    const raw = open()
    raw.write(text)
    await raw.closed()
    assert.deepEqual(
      raw.statuses.filter((status) => status < 400),
      [],
    )
    await neighbour()
    assert.deepEqual(await echoed(), ['neighbour'])
  })

test('reads a body to its stated end and what follows as another request, never the other way round', async () => {
  await bench.start()
  const raw = open()
  raw.write(post(`${body}${' '.repeat(10)}`) + post(echo('second')))
  await raw.answers(2)
  assert.deepEqual(await echoed(), ['outer', 'second'])
  assert.equal((await bench.records()).length, 2)
  raw.destroy()
})

test('opens no tunnel and speaks no other protocol', async () => {
  await bench.start()
  for (const text of [
    'CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: 127.0.0.1:22\r\n\r\n',
    'GET /tools HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: eA==\r\n\r\n',
    'GET http://169.254.169.254/latest HTTP/1.1\r\nhost: x\r\n\r\n',
    'GET //tools HTTP/1.1\r\nhost: x\r\n\r\n',
    'GET /tools/../call HTTP/1.1\r\nhost: x\r\n\r\n',
    'GET /%74ools HTTP/1.1\r\nhost: x\r\n\r\n',
  ]) {
    const raw = open()
    raw.write(text)
    await raw.settled()
    assert.ok(!raw.statuses.includes(101), text)
    if (!text.includes('websocket')) assert.ok(!raw.statuses.includes(200), text)
    raw.destroy()
  }
})

test('takes no identity from any header, in any spelling', async () => {
  bench.gateway.grants = { [sessionTwo]: { sample: [] } }
  await bench.start()
  const names = [
    'X-Session',
    'X-Session-Id',
    'Mcp-Session-Id',
    'X-Agent-Group',
    'X-Forwarded-For',
    'X-Real-Ip',
    'Forwarded',
    'From',
    'Cookie',
  ]
  const more = ['Authorization', 'Proxy-Authorization', 'X-Gatehouse-Session', 'X-Original-Url', 'X-Rewrite-Url', 'X-Http-Method-Override']
  for (const name of [...names, ...more]) {
    const answer = await ask(bench.socket(), '/call', { method: 'POST', body: echo('forged'), headers: { [name]: sessionTwo } })
    assert.match(answer.text, /not-granted/, name)
  }
  assert.deepEqual([...new Set((await bench.records()).map(({ session }) => session))], [sessionOne])
  assert.deepEqual(await echoed(), [])
})

test('answers who sends a body too slowly, and closes the connection', async () => {
  await bench.start()
  const raw = open()
  raw.write('POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{')
  const drip = setInterval(() => raw.write(' '), 500)
  await raw.closed()
  clearInterval(drip)
  assert.deepEqual(raw.statuses, [504])
  const record = await bench.onlyRecord()
  assert.deepEqual([record.op, record.server, record.status], ['call', '', 'refused'])
})

test('does not read a session that has listed as often as it may, until there is room; its calls and its neighbours go on', async () => {
  await bench.start()
  for (let count = 0; count < limits.sessionListsPerMinute; count += 1) assert.equal((await ask(bench.socket(), '/tools')).status, 200)
  const raw = open()
  raw.write('GET /tools HTTP/1.1\r\nhost: x\r\n\r\n')
  assert.equal((await bench.call('sample__echo', { text: 'a call' })).isError, false)
  await neighbour()
  assert.equal((await ask(bench.socket(sessionTwo), '/tools')).status, 200)
  assert.deepEqual(raw.statuses, [])
  assert.equal((await bench.records()).filter(({ session, op }) => session === sessionOne && op === 'list').length, 60)
  raw.destroy()
})

test('runs eight calls of a session at once, and begins the next when one is over', async () => {
  await bench.start()
  const sent = async () => (await messages(join(bench.directory, 'log'))).filter(({ method }) => method === 'tools/call').length
  const leaving = new AbortController()
  const call = (ms: number, signal?: AbortSignal) =>
    ask(bench.socket(), '/call', {
      method: 'POST',
      body: JSON.stringify({ name: 'sample__slow', arguments: { ms } }),
      ...(signal !== undefined && { signal }),
    })
  const held = Array.from({ length: 8 }, () => call(60_000, leaving.signal).catch(() => undefined))
  await waitFor(async () => (await sent()) === 8, { what: 'eight calls' })
  const ninth = call(0)
  await neighbour()
  assert.equal(await sent(), 9, 'those of the session and the one of its neighbour')
  leaving.abort()
  await Promise.all(held)
  assert.equal((await ninth).status, 200)
})
