// Lists of tools: read to the end, judged tool by tool, kept up to date, told to the gateway.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { limits, type ServerName } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { createRedactor } from '../../src/secrets/redact.ts'
import { listTools } from '../../src/upstream/list-tools.ts'
import type { Requests } from '../../src/upstream/requests.ts'
import { type Bench, type BenchOptions, createBench, local, messages, sessionOne } from '../fixtures/bench.ts'

let bench: Bench
beforeEach(async () => {
  bench = await createBench()
})
afterEach(() => bench.stop())

const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
const names = async () => (await bench.tools()).map(({ name }) => name)
const start = async (env: Record<string, string>, options: BenchOptions = {}) => {
  bench.gateway.catalog = { sample: local(env) }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start(options)
}

test('leaves out what cannot be pinned, shown or stored, and a second tool under a name that is taken, and keeps the rest', async () => {
  await start({ LIST: 'bad' })
  const tools = await bench.tools()
  assert.deepEqual(
    tools.map(({ tool }) => tool),
    ['as-deep-as-may-be', 'good', 'refers'],
  )
  assert.equal(tools[1]?.description, 'The tool good')
  assert.deepEqual(tools[2]?.outputSchema, { $ref: 'https://example.com/never-fetched.json' })
  assert.match(bench.logLines.join(), /"dropped":10,"kept":3/)
  assert.equal((await bench.call('sample__refers')).isError, false)
  for (const tool of ['constructor', 'prototype', '__proto__', 'too-deep', 'far-too-deep'])
    assert.equal((await bench.call(`sample__${tool}`)).error?.code, 'not-declared', tool)
  assert.equal((await bench.call('sample__no-schema')).error?.code, 'not-declared')
})

test('reads every page, and takes an empty cursor for one', async () => {
  await start({ LIST: 'pages' })
  assert.deepEqual(await names(), ['sample__first', 'sample__second'])
})

for (const [list, what] of [
  ['endless', 'has no end'],
  ['circle', 'comes back to where it was'],
  ['many', 'is too long'],
  ['refused', 'the server refuses'],
] as const)
  test(`uses no list that ${what}`, async () => {
    await start({ LIST: list })
    assert.deepEqual(await names(), [])
    const [record] = await bench.records()
    assert.deepEqual([record?.server, record?.status, record?.code], ['sample', 'error', 'server-unavailable'])
  })

test('lists anew when the server says that its tools have changed, and tells the gateway each time', async () => {
  await start({})
  assert.equal((await names()).includes('sample__grown'), false)
  await bench.call('sample__grow')
  await waitFor(async () => (await names()).includes('sample__grown'), { what: 'the new tool' })
  assert.equal((await bench.call('sample__grown')).isError, false)
  await waitFor(() => bench.gateway.observed.length === 2, { what: 'two observations' })
  const [first, second] = bench.gateway.observed
  assert.deepEqual([first?.server, first?.tools.length, second?.tools.length], ['sample', 16, 17])
  assert.match(String(first?.entryDigest), /^[0-9a-f]{64}$/)
})

test('lists anew in the middle of announcements that never end, and not for each of them', async () => {
  const log = join(bench.directory, 'log')
  await start({ LOG: log }, { isRated: false })
  await bench.call('sample__storm')
  const announced = async () => Number((await bench.tools()).find(({ tool }) => tool === 'echo')?.description)
  await waitFor(async () => (await announced()) >= 100, { what: 'a list of after a hundred announcements', every: 50 })
  // One each 100 ms would be eleven; each waits twice as long as the one before.
  assert.ok((await messages(log)).filter(({ method }) => method === 'tools/list').length < 10)
})

test('tells the gateway later what it could not tell while it was away', async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start()
  await bench.broker.controlPlane.probe({ name: 'sample' as ServerName }, context)
  assert.equal(bench.gateway.observed.length, 1)
  bench.gateway.isDown = true
  await bench.broker.controlPlane.probe({ name: 'sample' as ServerName }, context)
  assert.equal(bench.gateway.observed.length, 1)
  bench.gateway.isDown = false
  await bench.listeners.onConnect()
  assert.equal(bench.gateway.observed.length, 2)
})

test('lists a server when the gateway wants to know what it declares', async () => {
  await start({})
  bench.listeners.on['observation-wanted']?.({ server: 'sample' as ServerName })
  await waitFor(() => bench.gateway.observed.length === 1, { what: 'an observation' })
  bench.listeners.on['observation-wanted']?.({ server: 'sample' as ServerName })
  await waitFor(() => bench.gateway.observed.length === 2, { what: 'another one' })
})

test('lists the other servers when one is down, and what a server declared before it went down', async () => {
  const log = join(bench.directory, 'log')
  bench.gateway.catalog = { sample: local({ LOG: log }), broken: { transport: 'stdio', command: '/nowhere', args: [], env: {} } }
  bench.gateway.grants = { [sessionOne]: { sample: ['echo'], broken: [] } }
  await bench.start()
  assert.deepEqual(await names(), ['sample__echo'])
  bench.gateway.grants[sessionOne] = { sample: [] }
  await bench.call('sample__crash')
  bench.gateway.grants[sessionOne] = { sample: ['echo'], broken: [] }
  assert.deepEqual(await names(), ['sample__echo'])
})

test('shows one tool under a name that two servers lay claim to, and calls that one', async () => {
  bench.gateway.catalog = { a: local({ LIST: 'plain' }), a_: local() }
  bench.gateway.grants = { [sessionOne]: { a: ['echo'], a_: ['echo'] } }
  await bench.start()
  assert.deepEqual(await names(), ['a___echo', 'a__echo'])
  await bench.call('a___echo', { text: 'x' })
  assert.deepEqual(bench.gateway.authorized.at(-1), { session: sessionOne, server: 'a_', tool: 'echo' })
})

test('asks each server once for many lists', async () => {
  const log = join(bench.directory, 'log')
  await start({ LOG: log })
  await Promise.all(Array.from({ length: 10 }, () => names()))
  assert.equal((await messages(log)).filter(({ method }) => method === 'tools/list').length, 1)
  assert.ok(limits.listPoll > 60_000)
})

test('lists a server again when the time is over for which it said that its list may be kept', async () => {
  // Also where it says that it announces changes.
  await start({ TTL: '1' })
  await bench.call('sample__echo')
  assert.equal(bench.gateway.observed.length, 1)
  await waitFor(() => bench.gateway.observed.length === 2, { what: 'a second listing' })
})

const pagesOf = (...pages: object[]) => {
  const answers = [...pages]
  const requests = { send: async () => answers.shift() } as unknown as Requests
  return listTools({ requests, redactor: createRedactor([]), mirrorsArguments: false }, new AbortController().signal)
}

test('takes the shortest time that a page names, and no time for what is none', async () => {
  assert.equal(
    (await pagesOf({ tools: [], ttlMs: 9_000, nextCursor: 'a' }, { tools: [], ttlMs: 6_000, nextCursor: 'b' }, { tools: [] })).ttl,
    6_000,
  )
  for (const ttlMs of [undefined, null, 0, -1, '5', {}]) assert.equal((await pagesOf({ tools: [], ttlMs })).ttl, undefined)
})
