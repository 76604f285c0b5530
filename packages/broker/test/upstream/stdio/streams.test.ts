// What a local server may write without harming others, and what it finds in its environment.
import assert from 'node:assert/strict'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { limits, type ServerName } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { type Bench, createBench, local, messages, sessionOne } from '../../fixtures/bench.ts'
import { processesOf } from '../../fixtures/processes.ts'

let bench: Bench
let log: string
beforeEach(async () => {
  bench = await createBench()
  log = join(bench.directory, 'log')
})
afterEach(() => bench.stop())

const start = async (env: Record<string, string> = {}, variables: Record<string, string> = {}) => {
  bench.gateway.catalog = { sample: local({ LOG: log, ...env }) }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start({ variables })
}
const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
const logs = async () => bench.broker.controlPlane.logs({ name: 'sample' as ServerName }, context)
const initializes = async () => (await messages(log)).filter(({ method }) => method === 'initialize').length

test('fails the one call whose answer is a line that is too long, and keeps the others and the connection', async () => {
  await start()
  await bench.call('sample__echo', { text: 'a' })
  const [slow, big, echo] = await Promise.all([
    bench.call('sample__slow', { ms: 300 }),
    bench.call('sample__big', { bytes: limits.upstreamMessage }),
    bench.call('sample__echo', { text: 'b' }),
  ])
  assert.equal(big.error?.code, 'too-large')
  assert.equal(slow.content[0]?.['text'], 'slow')
  assert.equal(echo.content[0]?.['text'], 'b')
  assert.equal(await initializes(), 1)
})

test('reads an answer of nearly the largest size, of which an agent is shown the beginning', async () => {
  await start()
  const bytes = limits.upstreamMessage - 1000
  const answer = await bench.call('sample__big', { bytes })
  assert.equal(answer.error, undefined)
  assert.ok(String(answer.content[0]?.['text']).startsWith('x'.repeat(1000)))
})

test('reads past lines that are no messages', async () => {
  await start()
  assert.equal((await bench.call('sample__garbage')).content[0]?.['text'], 'still here')
})

test('gives a local server the declared variables and a few of the host, and nothing else', async () => {
  await start({ GREETING: 'hello ${WHO}' }, { WHO: 'everyone', OTHER: 'never-seen' })
  const { env, cwd } = JSON.parse(String((await bench.call('sample__env')).content[0]?.['text'])) as {
    env: Record<string, string>
    cwd: string
  }
  assert.deepEqual(Object.keys(env).toSorted(), ['GREETING', 'HOME', 'LANG', 'LOG', 'PATH', 'PWD'])
  assert.equal(env['GREETING'], '••••')
  assert.equal(env['HOME'], cwd)
})

test('gives a local server a lower priority than those who wait for the broker', async () => {
  await start()
  await bench.call('sample__echo', { text: 'a' })
  const priorities = (await processesOf(log)).map((pid) => getPriority(pid))
  assert.ok(priorities.length > 0)
  assert.ok(priorities.every((priority) => priority > getPriority()))
})

test('keeps the value of a variable out of results, errors, lists and logs, but for the server', async () => {
  const secret = 'correct-horse"battery'
  await start({ TOKEN: '${API_TOKEN}' }, { API_TOKEN: secret })
  const env = String((await bench.call('sample__env')).content[0]?.['text'])
  assert.match(env, /"TOKEN":"••••"/)
  assert.deepEqual(await bench.call('sample__structured'), { content: [], structuredContent: { secret: '••••', n: 1 }, isError: false })
  const rejected = await bench.call('sample__reject', { text: secret })
  assert.match(String(rejected.error?.message), /rejected: "••••"/)
  assert.ok(bench.secrets.includes(secret))
  const [line] = await waitFor(async () => ((await logs()).items.length > 0 ? (await logs()).items : undefined), { what: 'the output' })
  assert.equal(line?.text, 'started with ••••')
  assert.doesNotMatch(bench.logLines.join('\n'), /correct-horse/)
})

test('refuses to start a server whose variable is not set, and names it', async () => {
  await start({ TOKEN: '${NOT_THERE}' })
  assert.equal((await bench.call('sample__echo')).error?.code, 'server-unavailable')
  assert.match(bench.logLines.join(), /the variable NOT_THERE is not set, or the catalog may not name it/)
  assert.deepEqual(await messages(log), [])
})

test('starts a server again as an old one when it ends at the question for its revision', async () => {
  await start({ EXIT_ON_PROBE: '1' })
  assert.equal((await bench.call('sample__echo', { text: 'a' })).isError, false)
  assert.equal(await initializes(), 1)
})

test('speaks the stateless revision, with what each of its requests must carry', async () => {
  await start({ ERA: 'modern' })
  assert.equal((await bench.call('sample__echo', { text: 'a' })).content[0]?.['text'], 'a')
  const called = (await messages(log)).find(({ method }) => method === 'tools/call')
  const meta = called?.params?.['_meta'] as Record<string, unknown>
  assert.equal(meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28')
  assert.equal(await initializes(), 0)
  assert.equal((await messages(log)).filter(({ method }) => method === 'subscriptions/listen').length, 1)
  await bench.call('sample__grow')
  await waitFor(async () => (await bench.tools()).some(({ tool }) => tool === 'grown'), { what: 'the new tool' })
})

test('ends the whole group of a server when the broker stops', async () => {
  await start()
  await bench.call('sample__echo', { text: 'a' })
  assert.ok((await processesOf(log)).length > 0)
  await bench.broker.stop()
  await waitFor(async () => (await processesOf(log)).length === 0, { what: 'the end of all processes' })
})
