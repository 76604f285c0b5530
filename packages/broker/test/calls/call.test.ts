// What a session may call, and what it reads when it may not.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { limits, type ServerName } from '@gatehouse/contracts'
import { exposedName, waitFor } from '@gatehouse/kernel'
import { ask } from '../fixtures/ask.ts'
import { type Bench, createBench, group, local, messages, sessionOne, sessionTwo } from '../fixtures/bench.ts'

let bench: Bench
beforeEach(async () => {
  bench = await createBench()
})
afterEach(() => bench.stop())

const text = ({ content }: { content: readonly Record<string, unknown>[] }): unknown => content[0]?.['text']

test('calls a granted tool and answers with what the server sent', async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: ['echo'] } }
  await bench.start()
  assert.deepEqual(await bench.call('sample__echo', { text: 'hi' }), { content: [{ type: 'text', text: 'hi' }], isError: false })
  const record = await bench.onlyRecord()
  assert.deepEqual(
    { ...record, id: '', time: 0, bytes: 0, duration: 0 },
    {
      id: '',
      time: 0,
      session: sessionOne,
      agentGroupID: 'team',
      server: 'sample',
      tool: 'echo',
      op: 'call',
      status: 'ok',
      bytes: 0,
      duration: 0,
    },
  )
  assert.match(record.id, /^[0-9a-z]+-[0-9a-z]+$/)
  assert.ok(record.bytes > 80 && record.duration > 0)
})

test('calls a tool of a server whose name no model API takes, before and after a list', async () => {
  const names = ['My.Server', 'GitHub', 'x'.repeat(64)]
  bench.gateway.catalog = Object.fromEntries(names.map((name) => [name, local()]))
  bench.gateway.grants = { [sessionOne]: Object.fromEntries(names.map((name) => [name, ['echo']])) }
  await bench.start()
  for (const server of names) {
    const result = await bench.call(exposedName({ server, tool: 'echo' }), { text: server })
    assert.equal(text(result), server)
  }
  const tools = await bench.tools()
  assert.deepEqual(
    tools.map(({ name, server }) => [name, server]),
    names.map((server) => [exposedName({ server, tool: 'echo' }), server]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  )
})

test('values that stand in the entry as they are do not reach an agent whose tool prints them', async () => {
  bench.gateway.catalog = { sample: local({ LITERAL: 'literal-secret' }) }
  bench.gateway.grants = { [sessionOne]: { sample: ['env'] } }
  await bench.start()
  assert.doesNotMatch(JSON.stringify(await bench.call('sample__env')), /literal-secret/)
})

test('refuses a tool that the grant does not name, and one of a server that does not exist, in the same words', async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: ['echo'] } }
  await bench.start()
  const ungranted = await bench.call('sample__env')
  const unknown = await bench.call('nobody__env')
  const shapeless = await bench.call('env')
  assert.equal(ungranted.error?.code, 'not-granted')
  assert.equal(String(text(ungranted)).replace('sample__env', ''), String(text(unknown)).replace('nobody__env', ''))
  assert.equal(String(text(ungranted)).replace('sample__env', ''), String(text(shapeless)).replace('env', ''))
  const records = await bench.records()
  assert.deepEqual(
    records.map(({ server, tool, status, code }) => [server, tool, status, code]),
    [
      ['sample', 'env', 'refused', 'not-granted'],
      ['nobody', 'env', 'refused', 'not-granted'],
      ['', 'env', 'refused', 'not-granted'],
    ],
  )
})

test('tells an agent that reached its limit of calls when to try again, and does not make the call', async () => {
  const log = join(bench.directory, 'log')
  bench.gateway.catalog = { sample: local({ LOG: log }) }
  bench.gateway.grants = { [sessionOne]: { sample: ['echo'] } }
  bench.gateway.left = 1
  await bench.start()
  assert.equal((await bench.call('sample__echo', { text: 'hi' })).isError, false)
  const made = (await messages(log)).length
  const refused = await bench.call('sample__echo', { text: 'again' })
  assert.deepEqual([refused.isError, refused.error?.code, refused.error?.retryAfter], [true, 'rate-limited', 7])
  assert.match(String(text(refused)), /limit of calls per minute; the call was not made; try again in 7 s/)
  assert.equal((await messages(log)).length, made)
  const [first, second] = await bench.records()
  assert.deepEqual([first?.status, second?.status, second?.code], ['ok', 'refused', 'rate-limited'])
})

test('a limit above that of one session can be used up in one session', { timeout: 50_000 }, async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: ['echo'] } }
  bench.gateway.callsPerMinute = 10_000
  await bench.start()
  let made = 0
  const caller = async (): Promise<void> => {
    while (made++ < limits.sessionCallsPerMinute + 20) assert.equal((await bench.call('sample__echo', { text: 'x' })).isError, false)
  }
  await Promise.all(Array.from({ length: 6 }, caller))
})

test('starts no server for a call that is refused', async () => {
  const log = join(bench.directory, 'log')
  bench.gateway.catalog = { sample: local({ LOG: log }) }
  await bench.start()
  await bench.call('sample__echo')
  assert.deepEqual(await messages(log), [])
})

test('gives each session its own grants over one shared connection', async () => {
  const log = join(bench.directory, 'log')
  bench.gateway.catalog = { sample: local({ LOG: log }) }
  bench.gateway.grants = { [sessionOne]: { sample: ['echo'] }, [sessionTwo]: { sample: ['fail'] } }
  await bench.start()
  const [one, two, three, four] = await Promise.all([
    bench.call('sample__echo', { text: 'a' }, sessionOne),
    bench.call('sample__fail', {}, sessionTwo),
    bench.call('sample__echo', { text: 'a' }, sessionTwo),
    bench.tools(sessionTwo),
  ])
  assert.equal(one.isError, false)
  assert.equal(text(two), 'the tool failed')
  assert.equal(three.error?.code, 'not-granted')
  assert.deepEqual(
    four.map(({ name }) => name),
    ['sample__fail'],
  )
  assert.equal((await messages(log)).filter(({ method }) => method === 'initialize').length, 1)
})

test('refuses a tool that the server does not declare, also when the grant names it or is empty', async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: ['nothing'] }, [sessionTwo]: { sample: [] } }
  await bench.start()
  for (const session of [sessionOne, sessionTwo]) {
    const answer = await bench.call('sample__nothing', {}, session)
    assert.equal(answer.error?.code, 'not-declared')
    assert.equal(answer.isError, true)
  }
})

test('asks the gateway anew on every call, so that a revoked grant ends with the next one', async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start()
  assert.equal((await bench.call('sample__echo', { text: 'a' })).isError, false)
  bench.gateway.revoked = true
  assert.equal((await bench.call('sample__echo', { text: 'a' })).error?.code, 'revoked')
  assert.equal(bench.gateway.authorized.length, 2)
})

test('allows nothing while the gateway cannot be asked', async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start()
  bench.gateway.isDown = true
  const answer = await bench.call('sample__echo', { text: 'a' })
  assert.equal(answer.error?.code, 'server-unavailable')
  assert.equal((await bench.onlyRecord()).status, 'error')
})

test('answers server-unavailable for a granted server that left the catalog', async () => {
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start()
  assert.equal((await bench.call('sample__echo')).error?.code, 'server-unavailable')
})

test('hands an error of the server to the caller, and to no log or record', async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start()
  const rejected = await bench.call('sample__reject', { text: 'marker-in-the-error' })
  assert.equal(rejected.error?.code, 'upstream-error')
  assert.match(String(text(rejected)), /marker-in-the-error/)
  const failed = await bench.call('sample__fail')
  assert.deepEqual(failed, { content: [{ type: 'text', text: 'the tool failed' }], isError: true })
  assert.deepEqual(
    (await bench.records()).map(({ status, code }) => [status, code]),
    [
      ['error', 'upstream-error'],
      ['error', undefined],
    ],
  )
  assert.doesNotMatch(bench.logLines.join('\n') + JSON.stringify(await bench.records()), /marker-in-the-error|the tool failed/)
})

test('names content blocks of kinds that it does not know', async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start()
  assert.deepEqual(await bench.call('sample__odd'), {
    content: [
      { type: 'text', text: 'plain' },
      { type: 'text', text: '[left out: 2 content blocks of a kind that is not supported here: hologram, none]' },
    ],
    isError: false,
  })
})

test('says that a tool which asks for input in the middle of a call is not supported', async () => {
  bench.gateway.catalog = { sample: local({ ERA: 'modern' }) }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start()
  assert.equal((await bench.call('sample__ask')).error?.code, 'input-required-unsupported')
})

test('takes no identity from a header', async () => {
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionTwo]: { sample: [] } }
  await bench.start()
  const headers = {
    'x-session': sessionTwo,
    'x-session-id': sessionTwo,
    authorization: `Bearer ${sessionTwo}`,
    'x-agent-group': 'other',
    host: sessionTwo,
  }
  const answer = await ask(bench.socket(sessionOne), '/call', { method: 'POST', headers, body: JSON.stringify({ name: 'sample__echo' }) })
  assert.match(answer.text, /not-granted/)
  assert.equal(bench.gateway.authorized[0]?.session, sessionOne)
})

test('ends a call in flight when its grant is taken away, and leaves those that are still granted', async () => {
  const log = join(bench.directory, 'log')
  bench.gateway.catalog = { sample: local({ LOG: log }) }
  bench.gateway.grants = { [sessionOne]: { sample: [] }, [sessionTwo]: { sample: [] } }
  await bench.start()
  const sent = async () => (await messages(log)).filter(({ method }) => method === 'tools/call').length
  const silent = bench.call('sample__silent')
  const slow = bench.call('sample__slow', { until: join(bench.directory, 'end') }, sessionTwo)
  await waitFor(async () => (await sent()) === 2, { what: 'both calls at the server' })
  bench.gateway.grants[sessionOne] = { sample: ['echo'] }
  bench.listeners.on['grant-changed']?.({ agentGroupID: group, server: 'sample' as ServerName })
  assert.equal((await silent).error?.code, 'revoked')
  await writeFile(join(bench.directory, 'end'), '')
  assert.equal((await slow).content[0]?.['text'], 'slow')
  await waitFor(async () => (await messages(log)).some(({ method }) => method === 'notifications/cancelled'), {
    what: 'a cancel at the server',
  })
  assert.deepEqual(
    (await bench.records()).map(({ status, code }) => [status, code]),
    [
      ['refused', 'revoked'],
      ['ok', undefined],
    ],
  )
})

test('says of a call that ran out of time whether it was sent', async () => {
  bench.gateway.catalog = { sample: local(), deaf: local({ SILENT: '1' }) }
  bench.gateway.grants = { [sessionOne]: { sample: [], deaf: [] } }
  await bench.start({ callTime: 1_500 })
  assert.match(String(text(await bench.call('deaf__echo'))), /no answer within 60 s; the call was not made; try again later$/)
  // The server may need longer to start than one call waits.
  await waitFor(async () => String(text(await bench.call('sample__silent'))).endsWith('; whether the call took effect is unknown'), {
    what: 'a call that was sent',
  })
})
