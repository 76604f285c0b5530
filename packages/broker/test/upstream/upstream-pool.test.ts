// One connection for all, or one for each session; and a server that hangs beside nine that do not.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { AgentGroupID, ServerName, SessionID } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { type Bench, createBench, local, messages, sessionOne, sessionTwo } from '../fixtures/bench.ts'
import { processesOf } from '../fixtures/processes.ts'

let bench: Bench
let log: string
beforeEach(async () => {
  bench = await createBench()
  log = join(bench.directory, 'log')
  bench.gateway.sessions = [
    { session: sessionOne, agentGroupID: 'team' as AgentGroupID },
    { session: sessionTwo, agentGroupID: 'other' as AgentGroupID },
  ]
})
afterEach(() => bench.stop())

const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
const initializes = async () => (await messages(log)).filter(({ method }) => method === 'initialize').length
const echo = async (session: SessionID, text: string) => (await bench.call('sample__echo', { text }, session)).content[0]?.['text']
const upGauge = async (): Promise<unknown> => {
  const metrics = (await bench.metrics.json()) as { name: string; values: { value: number }[] }[]
  return metrics.find(({ name }) => name === 'gatehouse_broker_upstream_up')?.values.map(({ value }) => value)
}

test('two groups on one server: one initialize upstream, and each sees its own grants alone', async () => {
  bench.gateway.catalog = { sample: local({ LOG: log }) }
  bench.gateway.grants = { [sessionOne]: { sample: ['echo'] }, [sessionTwo]: { sample: ['env', 'odd'] } }
  await bench.start()
  const seen = await Promise.all([sessionOne, sessionTwo].map(async (session) => (await bench.tools(session)).map(({ tool }) => tool)))
  assert.deepEqual(seen, [['echo'], ['env', 'odd']])
  assert.equal(await echo(sessionOne, 'a'), 'a')
  assert.equal((await bench.call('sample__echo', {}, sessionTwo)).error?.code, 'not-granted')
  assert.equal(await initializes(), 1)
})

test('gives each session a process, a home and a connection of its own where the entry says so', async () => {
  bench.gateway.catalog = { sample: { ...local({ LOG: log }), sharing: 'session' } }
  bench.gateway.grants = { [sessionOne]: { sample: [] }, [sessionTwo]: { sample: [] } }
  await bench.start()
  const homes = await Promise.all(
    [sessionOne, sessionTwo].map(async (session) => {
      const { env } = JSON.parse(String((await bench.call('sample__env', {}, session)).content[0]?.['text'])) as { env: { HOME: string } }
      return env.HOME
    }),
  )
  assert.equal(new Set(homes).size, 2)
  assert.equal(await initializes(), 2)
  assert.deepEqual(await upGauge(), [2])
  await bench.call('sample__crash', {}, sessionOne)
  assert.equal(await echo(sessionTwo, 'still here'), 'still here')
  assert.equal((await bench.broker.controlPlane.states({}, context))['sample']?.status, 'up')
})

test('ends what a session had for itself when it is closed, and nothing of the others', async () => {
  bench.gateway.catalog = { sample: { ...local({ LOG: log }), sharing: 'session' } }
  bench.gateway.grants = { [sessionOne]: { sample: [] }, [sessionTwo]: { sample: [] } }
  await bench.start()
  await echo(sessionOne, 'a')
  await echo(sessionTwo, 'b')
  const marks = [sessionOne, sessionTwo].map((session) => join(bench.directory, 'servers', `sample.${session}`))
  const [first = '', second = ''] = marks
  assert.ok((await processesOf(first)).length > 0)
  bench.listeners.on['session-closed']?.({ session: sessionOne })
  await waitFor(async () => (await processesOf(first)).length === 0, { what: 'the end of its server' })
  assert.ok((await processesOf(second)).length > 0)
  assert.equal(await echo(sessionTwo, 'c'), 'c')
  await waitFor(async () => JSON.stringify(await upGauge()) === '[1]', { what: 'one connection' })
})

test('starts nothing for a session that was closed while its call was judged', async () => {
  bench.gateway.catalog = { sample: { ...local({ LOG: log }), sharing: 'session' } }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start()
  await echo(sessionOne, 'a')
  const [found, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  bench.gateway.onAuthorized = () => (found.resolve(), held.promise)
  const call = bench.call('sample__echo')
  await found.promise
  bench.listeners.on['session-closed']?.({ session: sessionOne })
  await assert.rejects(call)
  const status = async () => (await bench.broker.controlPlane.states({}, context))['sample']?.status
  await waitFor(async () => (await status()) === 'idle', { what: 'the end of its server' })
  held.resolve()
  await bench.settledRecords(2)
  assert.deepEqual([await status(), await initializes()], ['idle', 1])
})

test('observes a server that each session has for itself by a connection apart', async () => {
  bench.gateway.catalog = { sample: { ...local({ LOG: log }), sharing: 'session' } }
  await bench.start()
  bench.listeners.on['observation-wanted']?.({ server: 'sample' as ServerName })
  await waitFor(() => bench.gateway.observed.length > 0, { what: 'an observation' })
  assert.equal(bench.gateway.observed[0]?.tools[0]?.name, 'echo')
})

test('a server that hangs takes none of nine others along: all of theirs are answered while it still waits', async () => {
  const names = Array.from({ length: 9 }, (_, at) => `fast${at}`)
  bench.gateway.catalog = Object.fromEntries(['hangs', ...names].map((name) => [name, local()]))
  const all = Object.fromEntries(['hangs', ...names].map((name) => [name, []]))
  bench.gateway.grants = { [sessionOne]: all, [sessionTwo]: all }
  await bench.start()
  const leaving = new AbortController()
  const order: string[] = []
  const stuck = Array.from({ length: 6 }, () => bench.leave('hangs__silent', leaving.signal).finally(() => order.push('hangs')))
  await waitFor(async () => (await bench.broker.controlPlane.states({}, context))['hangs']?.status === 'up', { what: 'the hanging server' })
  await Promise.all(
    names.flatMap((name) =>
      [1, 2, 3].map(async (turn) => {
        const answer = await bench.call(`${name}__echo`, { text: String(turn) }, sessionTwo)
        order.push(String(answer.content[0]?.['text']))
      }),
    ),
  )
  assert.equal(order.length, 27)
  assert.ok(!order.includes('hangs'))
  leaving.abort()
  await Promise.allSettled(stuck)
  assert.equal(order.filter((each) => each === 'hangs').length, 6)
})
