// One record for each list and each call, whatever became of it, and nothing in it that was said.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { ask } from '../fixtures/ask.ts'
import { type Bench, createBench, local, messages, sessionOne } from '../fixtures/bench.ts'

let bench: Bench
beforeEach(async () => {
  bench = await createBench()
  bench.gateway.catalog = { sample: local({ LOG: join(bench.directory, 'log') }) }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
})
afterEach(() => bench.stop())

const post = (body: string | Buffer, signal?: AbortSignal) =>
  ask(bench.socket(), '/call', { method: 'POST', body, ...(signal && { signal }) })
const call = (name: string, args: object = {}, signal?: AbortSignal) => post(JSON.stringify({ name, arguments: args }), signal)

const byServer = (a: readonly unknown[], b: readonly unknown[]): number => (String(a[1]) < String(b[1]) ? -1 : 1)

const outcomes: readonly (readonly [what: string, act: () => Promise<unknown>, status: string, code?: string])[] = [
  ['that succeeds', () => call('sample__echo', { text: 'a' }), 'ok'],
  ['whose tool fails', () => call('sample__fail'), 'error'],
  ['that the server rejects', () => call('sample__reject'), 'error', 'upstream-error'],
  ['during which the server crashes', () => call('sample__crash'), 'error', 'server-unavailable'],
  ['that is not granted', () => call('other__echo'), 'refused', 'not-granted'],
  ['of a tool that is not declared', () => call('sample__nothing'), 'refused', 'not-declared'],
  ['whose body is no JSON', () => post('{'), 'refused'],
  ['whose body has another shape', () => post('{"name":1}'), 'refused'],
  ['whose body is too large', () => post(Buffer.alloc(limits.callBody + 1, 0x20)), 'refused', 'too-large'],
  ['whose answer is too large', () => call('sample__big', { bytes: limits.upstreamMessage + 1 }), 'error', 'too-large'],
]

for (const [what, act, status, code] of outcomes)
  test(`writes one record of a call ${what}`, async () => {
    await bench.start({ level: 'error' })
    await act()
    const record = await bench.onlyRecord()
    assert.deepEqual([record.op, record.status, record.code], ['call', status, code])
    const logged = bench.logLines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ message }) => message === 'mcp.call')
    assert.equal(logged.length, 1)
    assert.deepEqual([logged[0]?.['level'], logged[0]?.['status'], logged[0]?.['bytes']], ['info', status, record.bytes])
  })

test('writes one record of a call whose caller leaves, and cancels it at the server', async () => {
  await bench.start()
  const log = join(bench.directory, 'log')
  const leaving = new AbortController()
  const answer = call('sample__silent', {}, leaving.signal)
  await waitFor(async () => (await messages(log)).some(({ method }) => method === 'tools/call'), { what: 'the call at the server' })
  leaving.abort()
  await assert.rejects(answer)
  const [record, ...others] = await bench.settledRecords(1)
  assert.deepEqual([record?.status, record?.code, others.length], ['cancelled', 'cancelled', 0])
  const cancelled = await waitFor(async () => (await messages(log)).find(({ method }) => method === 'notifications/cancelled'), {
    what: 'a cancel',
  })
  const sent = (await messages(log)).find(({ method }) => method === 'tools/call')
  assert.equal(cancelled.params?.['requestId'], sent?.id)
  assert.equal((await bench.call('sample__echo', { text: 'next' })).isError, false)
})

test('writes one record of a call that takes too long, and answers it', async () => {
  await bench.start({ callTime: 1_500 })
  const answer = await bench.call('sample__silent')
  assert.equal(answer.error?.code, 'timeout')
  const record = await bench.onlyRecord()
  assert.deepEqual([record.status, record.code], ['timeout', 'timeout'])
})

test('writes one record of a call whose caller leaves before its body is complete', async () => {
  await bench.start()
  const socket = connect(bench.socket())
  await new Promise<void>(
    (resolve) => void socket.write('POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"name"', () => resolve()),
  )
  socket.destroy()
  const [record] = await bench.settledRecords(1)
  assert.deepEqual([record?.op, record?.server, record?.status], ['call', '', 'cancelled'])
})

test('writes one record for each granted server of a list, and one without a server for a list without grants', async () => {
  bench.gateway.catalog = { sample: local(), other: local(), spare: local() }
  bench.gateway.grants = { [sessionOne]: { sample: [], other: ['echo'], gone: [] } }
  await bench.start({ level: 'error' })
  await bench.tools()
  const records = await bench.records()
  assert.deepEqual(records.map(({ op, server, status, code }) => [op, server, status, code]).toSorted(byServer), [
    ['list', 'gone', 'error', 'server-unavailable'],
    ['list', 'other', 'ok', undefined],
    ['list', 'sample', 'ok', undefined],
  ])
  bench.gateway.grants = {}
  await bench.tools()
  const last = (await bench.records()).at(-1)
  assert.deepEqual([last?.op, last?.server, last?.status, last?.tool], ['list', '', 'ok', undefined])
})

test('keeps arguments and results out of log and records', async () => {
  await bench.start({ level: 'debug' })
  const marker = 'a-word-that-only-the-caller-knows'
  await bench.call('sample__echo', { text: marker, [marker]: 1 })
  await bench.call('sample__reject', { text: marker })
  await post(`{"name":"sample__echo","arguments":"${marker}"}`)
  await bench.call('sample__env', { text: marker })
  const written = bench.logLines.join('\n') + (await readFile(join(bench.directory, 'calls.jsonl'), 'utf8'))
  assert.doesNotMatch(written, new RegExp(marker))
  assert.doesNotMatch(written, /LANG|C\.UTF-8/)
})

test('answers audit-unwritable when the record cannot be written, and calls no server until one can', async () => {
  let isFull = true
  const kept: object[] = []
  const append = async (record: object): Promise<void> => {
    if (isFull) throw new Error('no space')
    kept.push(record)
  }
  await bench.start({ append })
  const log = join(bench.directory, 'log')
  const sent = async () => (await messages(log)).filter(({ method }) => method === 'tools/call').length
  assert.equal((await bench.call('sample__echo', { text: 'a' })).error?.code, 'audit-unwritable')
  assert.equal(await sent(), 1)
  assert.equal((await bench.call('sample__echo', { text: 'b' })).error?.code, 'audit-unwritable')
  assert.equal(await sent(), 1)
  assert.equal((await ask(bench.socket(), '/tools')).status, 503)
  const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
  assert.deepEqual((await bench.broker.life.health({}, context)).degraded, ['calls.jsonl'])
  assert.match(bench.logLines.join(), /cannot be written/)
  isFull = false
  assert.equal((await bench.call('sample__echo', { text: 'c' })).error?.code, 'audit-unwritable')
  assert.equal(await sent(), 1)
  assert.equal((await bench.call('sample__echo', { text: 'd' })).isError, false)
  assert.equal(kept.length, 5, 'what could not be written at first is written when the disk takes it again')
})

test('lets no answer leave before its record is written', async () => {
  const written = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await bench.start({
    append: () => {
      asked.resolve()
      return written.promise
    },
  })
  let hasAnswer = false
  const answer = bench.call('sample__echo', { text: 'a' }).then((result) => {
    hasAnswer = true
    return result
  })
  await asked.promise
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(hasAnswer, false)
  written.resolve()
  assert.equal((await answer).isError, false)
})

test('records what still ran when the broker stopped', async () => {
  await bench.start()
  const answer = call('sample__silent')
  await waitFor(async () => (await messages(join(bench.directory, 'log'))).some(({ method }) => method === 'tools/call'), {
    what: 'the call',
  })
  await bench.broker.stop()
  await answer.catch(() => undefined)
  assert.equal((await bench.onlyRecord()).status, 'cancelled')
})

test('counts lists and calls by server, operation and status, and names no server that is not in the catalog', async () => {
  await bench.start()
  await bench.tools()
  await bench.call('sample__echo', { text: 'a' })
  await bench.call('made-up__echo')
  const metrics = (await bench.metrics.json()) as { name: string; values: { labels: Record<string, string>; value: number }[] }[]
  const requests = metrics.find(({ name }) => name === 'gatehouse_broker_requests_total')?.values ?? []
  assert.deepEqual(
    requests
      .map(({ labels, value }) => [labels['server'], labels['op'], labels['status'], value])
      .toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    [
      ['none', 'call', 'refused', 1],
      ['sample', 'call', 'ok', 1],
      ['sample', 'list', 'ok', 1],
    ],
  )
  const up = metrics.find(({ name }) => name === 'gatehouse_broker_upstream_up')?.values
  assert.deepEqual(
    up?.map(({ labels, value }) => [labels['server'], value]),
    [['sample', 1]],
  )
})
