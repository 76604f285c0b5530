// The emergency stops: after a revocation or a freeze was answered no call begins, and those that run end at once.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { ServerName, ToolResult } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { StdioTransport } from '../../src/upstream/stdio/transport.ts'
import { ask } from '../fixtures/ask.ts'
import { type Bench, createBench, group, local, messages, sessionOne, sessionThree, sessionTwo } from '../fixtures/bench.ts'

let bench: Bench
/** When each call began to leave, in milliseconds of `performance.now()`. */
let begun: number[]
const send = StdioTransport.prototype.send

beforeEach(async () => {
  bench = await createBench()
  begun = []
  StdioTransport.prototype.send = function (message) {
    if ('method' in message && message.method === 'tools/call') begun.push(performance.now())
    return send.call(this, message)
  }
  bench.gateway.catalog = { sample: local({ LOG: join(bench.directory, 'log') }) }
  bench.gateway.grants = { [sessionOne]: { sample: [] }, [sessionTwo]: { sample: [] }, [sessionThree]: { sample: [] } }
  bench.gateway.sessions.push({ session: sessionThree, agentGroupID: group })
  await bench.start({ isRated: false })
})
afterEach(async () => {
  StdioTransport.prototype.send = send
  await bench.stop()
})

/** As many as one server takes, from as few sessions as can have them. */
const fillSlots = (until: string): Promise<ToolResult>[] =>
  [sessionTwo, sessionThree].flatMap((session) => Array.from({ length: 8 }, () => bench.call('sample__slow', { until }, session)))
const codeOf = ({ error }: ToolResult): string => error?.code ?? 'ok'
const revokeOne = (): void => {
  bench.gateway.grants[sessionOne] = {}
  bench.listeners.on['grant-changed']?.({ agentGroupID: group, server: 'sample' as ServerName })
}
const freeze = (): void => {
  bench.gateway.frozen = true
  bench.listeners.on['freeze-changed']?.({})
}
const stops: readonly [what: string, code: string, stop: () => void][] = [
  ['a revocation', 'revoked', revokeOne],
  ['a freeze', 'frozen', freeze],
]
const sent = async (method: string) => (await messages(join(bench.directory, 'log'))).filter((message) => message.method === method).length

for (const [what, code, stop] of stops) {
  test(`${what} ends a call that runs, here and at its server`, async () => {
    const silent = bench.call('sample__silent')
    await waitFor(async () => (await sent('tools/call')) === 1, { what: 'the call at the server' })
    stop()
    assert.equal(codeOf(await silent), code)
    await waitFor(async () => (await sent('notifications/cancelled')) === 1, { what: 'a cancel at the server' })
    assert.deepEqual([(await bench.onlyRecord()).status, (await bench.onlyRecord()).code], ['refused', code])
  })

  test(`${what} stops a call whose verdict is on its way`, async () => {
    const [found, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    bench.gateway.onAuthorized = () => (found.resolve(), held.promise)
    const answer = bench.call('sample__echo', { text: 'a' })
    await found.promise
    stop()
    held.resolve()
    assert.equal(codeOf(await answer), code)
    assert.deepEqual(begun, [])
  })

  test(`${what} stops calls that wait for a slot, before anybody has judged them again`, async () => {
    const end = join(bench.directory, 'end')
    const running = fillSlots(end)
    await waitFor(() => begun.length === 16, { what: 'every slot taken' })
    const waiting = Array.from({ length: 8 }, () => bench.call('sample__echo', { text: 'a' }))
    await waitFor(() => bench.gateway.authorized.length === 24, { what: 'every verdict' })
    const judged = Promise.withResolvers<void>()
    bench.gateway.onGrants = () => judged.promise
    stop()
    await writeFile(end, '')
    await Promise.all(running)
    assert.equal(begun.length, 16)
    judged.resolve()
    assert.deepEqual([...new Set((await Promise.all(waiting)).map(codeOf))], [code])
    assert.equal(begun.length, 16)
  })
}

test('under load no call begins after a revocation was answered, round after round', async () => {
  const answers = { ok: 0, refused: 0 }
  const over = new AbortController()
  bench.gateway.onGrants = () => new Promise((resolve) => void setImmediate(resolve))
  const caller = async (session: typeof sessionOne): Promise<void> => {
    while (!over.signal.aborted) answers[codeOf(await bench.call('sample__slow', { ms: 2 }, session)) === 'ok' ? 'ok' : 'refused'] += 1
  }
  const callers = Array.from({ length: 24 }, () => caller(sessionOne))
  for (let round = 0; round < 10; round += 1) {
    const before = begun.length
    await waitFor(() => begun.length > before + 30, { what: 'calls' })
    revokeOne()
    const answered = performance.now()
    await waitFor(() => answers.refused > 24 * (round + 1), { what: 'refusals' })
    assert.equal(begun.filter((time) => time > answered).length, 0)
    bench.gateway.grants[sessionOne] = { sample: [] }
  }
  over.abort()
  await Promise.all(callers)
  assert.ok(answers.ok > 200)
})

test('a freeze that is lifted lets go on what is allowed still', async () => {
  freeze()
  assert.equal(codeOf(await bench.call('sample__echo', { text: 'a' })), 'frozen')
  bench.gateway.frozen = false
  bench.listeners.on['freeze-changed']?.({})
  assert.equal(codeOf(await bench.call('sample__echo', { text: 'a' })), 'ok')
})

test('a freeze of others, and a grant that has no call left, end no call that runs', async () => {
  const slow = bench.call('sample__slow', { ms: 300 })
  await waitFor(() => begun.length === 1, { what: 'the call' })
  bench.gateway.exhausted = ['sample']
  bench.listeners.on['freeze-changed']?.({})
  bench.listeners.on['grant-changed']?.({ agentGroupID: group, server: 'sample' as ServerName })
  assert.equal(codeOf(await slow), 'ok')
})

test('a call that runs is judged again after the gateway was away', async () => {
  const silent = bench.call('sample__silent')
  await waitFor(() => begun.length === 1, { what: 'the call' })
  bench.gateway.revoked = true
  await bench.listeners.onConnect()
  assert.equal(codeOf(await silent), 'revoked')
})

test('while the gateway cannot be asked again no doubted call begins, and afterwards it is judged', async () => {
  const end = join(bench.directory, 'end')
  const running = fillSlots(end)
  await waitFor(() => begun.length === 16, { what: 'every slot taken' })
  const waiting = bench.call('sample__echo', { text: 'a' })
  await waitFor(() => bench.gateway.authorized.length === 17, { what: 'the verdict' })
  bench.gateway.isDown = true
  revokeOne()
  await writeFile(end, '')
  await Promise.all(running)
  assert.equal(begun.length, 16)
  bench.gateway.isDown = false
  assert.equal(codeOf(await waiting), 'revoked')
})

test('a later stop is not forgotten over the answer to an earlier one', async () => {
  const silent = bench.call('sample__silent')
  await waitFor(() => begun.length === 1, { what: 'the call' })
  const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const turns = [early.promise, late.promise]
  bench.gateway.onGrants = () => turns.shift() ?? Promise.resolve()
  bench.listeners.on['freeze-changed']?.({})
  revokeOne()
  bench.gateway.grants[sessionOne] = { sample: [] }
  early.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  bench.gateway.grants[sessionOne] = {}
  late.resolve()
  assert.equal(codeOf(await silent), 'revoked')
})

test('a frozen list is answered as a problem, and recorded as refused', async () => {
  freeze()
  const { status, type, text } = await ask(bench.socket(), '/tools')
  assert.deepEqual([status, type, (JSON.parse(text) as { code: string }).code], [503, 'application/problem+json', 'frozen'])
  const record = await bench.onlyRecord()
  assert.deepEqual([record.op, record.server, record.status, record.code], ['list', '', 'refused', 'frozen'])
})
