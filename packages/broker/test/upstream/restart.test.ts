// A server that ends takes its own calls along and nothing else; the next call brings it back.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { limits, type ServerName } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { ask } from '../fixtures/ask.ts'
import { type Bench, createBench, group, local, messages, sessionOne, sessionThree, sessionTwo } from '../fixtures/bench.ts'

let bench: Bench
let log: string
beforeEach(async () => {
  bench = await createBench()
  log = join(bench.directory, 'log')
  bench.gateway.catalog = { sample: local({ LOG: log }), other: local() }
  bench.gateway.grants = { [sessionOne]: { sample: [], other: [] } }
})
afterEach(() => bench.stop())

const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
const state = async () => (await bench.broker.controlPlane.states({}, context))['sample']
const initializes = async () => (await messages(log)).filter(({ method }) => method === 'initialize').length
const sent = async (tool: string) =>
  (await messages(log)).some(({ method, params }) => method === 'tools/call' && params?.['name'] === tool)

test('answers calls in flight with server-unavailable when the server crashes, and connects again for the next call', async () => {
  await bench.start()
  assert.equal((await state())?.status, 'idle')
  const waiting = bench.call('sample__silent')
  await waitFor(() => sent('silent'), { what: 'the waiting call' })
  const crashing = await bench.call('sample__crash')
  for (const { error } of [crashing, await waiting]) {
    assert.equal(error?.code, 'server-unavailable')
    assert.match(error?.message ?? '', /: the tool server was lost before it answered; whether the call took effect is unknown$/)
  }
  assert.deepEqual([(await state())?.status, (await state())?.lastError], ['down', 'the server ended'])
  const health = await bench.broker.life.health({}, context)
  assert.deepEqual([health.status, health.degraded], ['degraded', ['sample']])
  assert.equal((await bench.call('other__echo', { text: 'b' })).isError, false)
  assert.equal((await bench.call('sample__echo', { text: 'a' })).isError, false)
  assert.equal(await initializes(), 2)
  assert.deepEqual([(await state())?.status, (await state())?.lastError, (await state())?.tools], ['up', undefined, 16])
})

test('starts a server once for many callers that come at the same time', async () => {
  await bench.start()
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => bench.call('sample__echo', { text: String(at) })))
  assert.deepEqual(
    answers.map(({ content }) => content[0]?.['text']),
    Array.from({ length: 20 }, (_, at) => String(at)),
  )
  assert.equal(await initializes(), 1)
})

test('tells a caller when to come back instead of starting a broken server again and again', async () => {
  bench.gateway.catalog = { sample: { transport: 'stdio', command: '/nowhere/at/all', args: [], env: {} } }
  await bench.start()
  let asked = 0
  const answer = await waitFor(
    async () => {
      asked = Date.now()
      const { error } = await bench.call('sample__echo')
      assert.equal(error?.code, 'server-unavailable')
      return error?.retryAfter
    },
    { what: 'a time to come back', every: 1 },
  )
  assert.ok(answer >= 1 && answer <= limits.upstreamRetryMost / 1000)
  const { lastError, nextAttemptAt } = (await state()) ?? {}
  assert.equal(lastError, 'the server could not be started: command not found')
  assert.ok(Date.parse(String(nextAttemptAt)) > asked)
})

test('lets calls in flight end on the old connection when the entry changes', async () => {
  await bench.start()
  const slow = bench.call('sample__slow', { ms: 500 })
  await waitFor(() => sent('slow'), { what: 'the slow call' })
  const next = join(bench.directory, 'next')
  bench.gateway.catalog['sample'] = local({ LOG: next })
  bench.listeners.on['catalog-changed']?.({})
  await waitFor(async () => (await state())?.status === 'idle', { what: 'the new entry' })
  assert.equal((await bench.call('sample__echo', { text: 'a' })).isError, false)
  assert.equal((await messages(next)).filter(({ method }) => method === 'initialize').length, 1)
  assert.equal((await slow).content[0]?.['text'], 'slow')
})

/** From the beginning: when a server was greeted, and when it ended. */
const lives = async (): Promise<unknown[]> =>
  (await messages(log)).map(({ method }) => method).filter((method) => method === 'initialize' || method === 'ended')
const answered = (): Promise<unknown> =>
  waitFor(async () => !(await bench.call('sample__echo', { text: 'a' })).isError, {
    what: 'an answer of the next server',
    deadline: 60_000,
  })

test('starts a server that keeps files when its process before is gone, and no second one for a probe', async () => {
  const entry = (value: string) => ({ ...local({ LOG: log, KEY: value, TELL_END: '1' }), data: true })
  bench.gateway.catalog['sample'] = entry('old')
  await bench.start()
  const until = join(bench.directory, 'until')
  const slow = bench.call('sample__slow', { until })
  await waitFor(() => sent('slow'), { what: 'the slow call' })
  bench.gateway.catalog['sample'] = entry('new')
  bench.listeners.on['catalog-changed']?.({})
  await waitFor(async () => (await state())?.status === 'idle', { what: 'the new entry' })
  const next = answered()
  await waitFor(async () => (await state())?.status === 'connecting', { what: 'an attempt' })
  // As long as a server takes to start.
  assert.equal((await bench.call('other__echo', { text: 'b' })).isError, false)
  assert.deepEqual(await lives(), ['initialize'])
  await writeFile(until, '')
  assert.equal((await slow).content[0]?.['text'], 'slow')
  await next
  const { tools, server } = await bench.broker.controlPlane.probe({ name: 'sample' as ServerName }, context)
  assert.deepEqual([tools.length, server.name], [16, 'fixture'])
  assert.deepEqual(await lives(), ['initialize', 'ended', 'initialize'])
})

test('gives a server its new values at once when nothing but a value of its entry changes', async () => {
  const value = async (name: string): Promise<unknown> => {
    const answer = await bench.call('sample__env')
    return (JSON.parse(String(answer.content[0]?.['text'])) as { env: Record<string, string> }).env[name]
  }
  bench.gateway.catalog['sample'] = local({ LOG: log, KEY: 'old' })
  await bench.start()
  assert.equal(await value('KEY'), 'old')
  bench.gateway.catalog['sample'] = local({ LOG: log, KEY: 'new' })
  bench.listeners.on['catalog-changed']?.({})
  await waitFor(async () => (await state())?.status === 'idle', { what: 'the new value' })
  assert.equal(await value('KEY'), 'new')
  const [first, second] = bench.gateway.observed
  assert.deepEqual([bench.gateway.observed.length, first?.entryDigest], [2, second?.entryDigest])
})

test('ends the server of an entry that left the catalog', async () => {
  await bench.start()
  await bench.call('sample__echo', { text: 'a' })
  const env = JSON.parse(String((await bench.call('sample__env')).content[0]?.['text'])) as { cwd: string }
  assert.equal(env.cwd, join(bench.directory, 'servers', 'sample'))
  bench.gateway.catalog = {}
  bench.listeners.on['catalog-changed']?.({})
  await waitFor(async () => (await state()) === undefined, { what: 'the entry to go' })
  assert.equal((await bench.call('sample__echo')).error?.code, 'server-unavailable')
})

test('keeps an unchanged entry connected when another one changes', async () => {
  await bench.start()
  await bench.call('sample__echo', { text: 'a' })
  bench.gateway.catalog['other'] = local({ LANG: 'C' })
  bench.gateway.catalog['third'] = local()
  await bench.listeners.onConnect()
  await bench.call('sample__echo', { text: 'a' })
  assert.equal(await initializes(), 1)
})

/** As many calls as run at once, the last of which this is; none of the others is answered. */
const fill = (last: string, args: object, signal = new AbortController().signal): Promise<unknown>[] =>
  Array.from({ length: limits.serverCallsInFlight }, (_, at) => {
    const isLast = at === limits.serverCallsInFlight - 1
    const body = JSON.stringify({ name: `sample__${isLast ? last : 'silent'}`, arguments: isLast ? args : {} })
    return ask(bench.socket(at % 2 === 0 ? sessionTwo : sessionThree), '/call', { method: 'POST', body, signal })
  })
const countSent = async (tool?: string): Promise<number> =>
  (await messages(log)).filter(({ method, params }) => method === 'tools/call' && (tool === undefined || params?.['name'] === tool)).length
const startThree = async (): Promise<void> => {
  bench.gateway.grants = Object.fromEntries([sessionOne, sessionTwo, sessionThree].map((session) => [session, { sample: [], other: [] }]))
  bench.gateway.sessions.push({ session: sessionThree, agentGroupID: group })
  await bench.start()
  await bench.call('sample__echo', { text: 'first' })
}

test('makes at most its share of calls at once, and the rest in their order', async () => {
  await startThree()
  const leaving = new AbortController()
  const stuck = fill('silent', {}, leaving.signal)
  await waitFor(async () => (await countSent('silent')) === limits.serverCallsInFlight, { what: 'full slots' })
  const late = bench.call('sample__fail')
  assert.equal((await bench.call('other__echo', { text: 'b' })).isError, false)
  assert.equal(await countSent('fail'), 0)
  leaving.abort()
  await Promise.allSettled(stuck)
  assert.equal((await late).content[0]?.['text'], 'the tool failed')
})

test('makes calls that waited for a slot, and were never sent, on the next connection when the server crashes', async () => {
  await startThree()
  const until = join(bench.directory, 'until')
  const running = fill('crash', { until })
  await waitFor(async () => (await countSent()) === 1 + limits.serverCallsInFlight, { what: 'full slots' })
  const waiting = Array.from({ length: limits.sessionCallsInFlight }, (_, at) => bench.call('sample__echo', { text: String(at) }))
  await waitFor(() => bench.gateway.authorized.length === 1 + limits.serverCallsInFlight + waiting.length, { what: 'those that wait' })
  await writeFile(until, '')
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ content }) => content[0]?.['text']),
    waiting.map((_, at) => String(at)),
  )
  await Promise.all(running)
  assert.deepEqual([await countSent('echo'), await countSent('silent'), await initializes()], [1 + waiting.length, running.length - 1, 2])
})

test('never runs a local server without the isolation that was asked for', async () => {
  await bench.start({ isolation: 'container' })
  assert.equal((await bench.call('sample__echo', { text: 'a' })).error?.code, 'server-unavailable')
  assert.deepEqual(await messages(log), [])
  assert.match(bench.logLines.join(), /no container engine that can be used/)
  await assert.rejects(async () => bench.broker.controlPlane.probe({ name: 'sample' as ServerName }, context), { code: 'upstream-failed' })
})

if (process.env['GATEHOUSE_PROFILE'] === 'full') {
  test('gives the next call another server where one answers nothing any more', async () => {
    await bench.start({ callTime: 10_000 })
    assert.equal((await bench.call('sample__echo', { text: 'a' })).isError, false)
    assert.equal((await bench.call('sample__freeze')).error?.code, 'timeout')
    await waitFor(async () => (await state())?.status === 'down', { what: 'the loss of the connection', deadline: 60_000 })
    assert.equal((await state())?.lastError, 'the server did not answer in time')
    assert.equal((await bench.call('sample__echo', { text: 'b' })).isError, false)
    assert.equal(await initializes(), 2)
  })

  test('lets a server that is at work on another call finish it, and starts no second one beside it where it keeps files', async () => {
    bench.gateway.catalog['sample'] = { ...local({ LOG: log, TELL_END: '1' }), data: true }
    await bench.start({ callTime: 20_000 })
    assert.equal((await bench.call('sample__echo', { text: 'a' })).isError, false)
    const began = Date.now()
    const long = bench.call('sample__freeze', { ms: 34_000 })
    await waitFor(() => Date.now() - began > 18_000, { what: 'a later call' })
    const later = bench.call('sample__echo', { text: 'later' })
    assert.equal((await long).error?.code, 'timeout')
    await waitFor(async () => (await state())?.status === 'down', { what: 'the loss of the connection', deadline: 60_000 })
    const next = answered()
    assert.equal((await later).content[0]?.['text'], 'later')
    await next
    assert.deepEqual(await lives(), ['initialize', 'ended', 'initialize'])
  })

  test('gives up a server that is silent to a listing, unless it is at work on a call', async () => {
    bench.gateway.catalog = { sample: local({ LOG: log, TTL: '1' }), other: local({ LOG: `${log}-other`, TTL: '1' }) }
    await bench.start()
    const leaving = new AbortController()
    const left = bench.leave('other__freeze', leaving.signal)
    const long = bench.call('sample__freeze', { ms: 50_000 })
    await waitFor(() => sent('freeze'), { what: 'the long call' })
    await waitFor(async () => (await messages(`${log}-other`)).some(({ method }) => method === 'tools/call'), { what: 'the other call' })
    leaving.abort()
    await left.catch(() => undefined)
    await waitFor(async () => (await bench.broker.controlPlane.states({}, context))['other']?.status === 'down', {
      what: 'the loss of the other server',
      deadline: 60_000,
    })
    assert.equal((await long).content[0]?.['text'], 'thawed')
    assert.deepEqual([(await state())?.status, await initializes()], ['up', 1])
    assert.equal(bench.logLines.filter((line) => /could not list the tools.*did not answer in time/.test(line)).length >= 2, true)
  })

  test('leaves a server alone that lets one call run out of time and answers others', async () => {
    await bench.start({ callTime: 10_000 })
    assert.equal((await bench.call('sample__silent')).error?.code, 'timeout')
    await waitFor(async () => (await messages(log)).some(({ method }) => method === 'ping'), { what: 'the question whether it lives' })
    assert.equal((await bench.call('sample__echo', { text: 'a' })).isError, false)
    assert.equal(await initializes(), 1)
  })
}
