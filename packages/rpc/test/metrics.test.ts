// How a caller's calls are counted: each once, under what came of it, and nothing unbounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codes } from '@gatehouse/contracts'
import { createMetrics, type Metrics } from '@gatehouse/kernel'
import { caller, edge, pair, scratch } from './fixtures/edge.ts'

interface Row {
  name: string
  values: { metricName?: string; labels: { edge?: string; method?: string; outcome?: string; le?: unknown }; value: number }[]
}

const valuesOf = async (metrics: Metrics, name = 'rpc_calls_total') =>
  ((await metrics.json()) as unknown as Row[]).flatMap((row) => (row.name === `gatehouse_${name}` ? row.values : []))

/** `method outcome` → how many. */
const counts = async (metrics: Metrics): Promise<Record<string, number>> => {
  return Object.fromEntries((await valuesOf(metrics)).map(({ labels, value }) => [`${labels.method} ${labels.outcome}`, value]))
}

const untouched = Object.fromEntries(Object.keys(edge.calls).map((method) => [`${method} ok`, 0]))

test('every method of an edge is there at 0 before the first call', async (context) => {
  const metrics = createMetrics('broker')
  caller(context, { path: await scratch(context), metrics })
  assert.deepEqual(await counts(metrics), untouched)
  assert.ok((await valuesOf(metrics)).every(({ labels }) => labels.edge === edge.name))
})

test('counts each call once under its method and what came of it', async (context) => {
  const metrics = createMetrics('broker')
  const { calls } = await pair(context, {}, { metrics })
  for (let time = 0; time < 3; time += 1) await calls.echo({ text: 'x' })
  await calls.large({ text: 'x' })
  for (const how of ['known', 'unknown']) await assert.rejects(calls.fail({ how }))
  await assert.rejects(calls.hang({}, { deadline: 10 }))
  await assert.rejects(calls.wrong({}))
  assert.deepEqual(await counts(metrics), {
    ...untouched,
    'echo ok': 3,
    'large ok': 1,
    'fail conflict': 1,
    'fail internal': 1,
    'hang deadline': 1,
    'wrong internal': 1,
  })
})

test('counts what never reached the other end', async (context) => {
  const metrics = createMetrics('broker')
  const { calls } = caller(context, { path: await scratch(context), metrics })
  await assert.rejects(calls.echo({ text: 'x' }), { code: 'unavailable' })
  assert.equal((await counts(metrics))['echo unavailable'], 1)
})

test('knows no outcome but ok and the codes of the table', async (context) => {
  const metrics = createMetrics('broker')
  const { calls } = await pair(context, {}, { metrics })
  for (const how of ['known', 'unknown', 'cause', 'nothing', 'another']) await assert.rejects(calls.fail({ how }))
  const outcomes = new Set((await valuesOf(metrics)).map(({ labels }) => labels.outcome))
  for (const outcome of outcomes) assert.ok(outcome === 'ok' || Object.hasOwn(codes, outcome ?? ''), outcome)
})

test('loses no call where there are more than are kept aside, and sums their times', async (context) => {
  const metrics = createMetrics('broker')
  const { calls } = await pair(context, {}, { metrics })
  const many = 1_000
  await Promise.all(Array.from({ length: many }, () => calls.echo({ text: 'x' })))
  for (let time = 0; time < 2; time += 1) assert.equal((await counts(metrics))['echo ok'], many)
  const durations = await valuesOf(metrics, 'rpc_call_duration_seconds')
  const sum = durations.find(({ metricName, labels }) => metricName?.endsWith('_sum') && labels.edge === edge.name)
  assert.ok(sum !== undefined && sum.value > 0 && sum.value < many * 60)
  assert.equal(durations.find(({ metricName }) => metricName?.endsWith('_count'))?.value, many)
})

test('a caller without metrics counts nothing and works', async (context) => {
  const { calls } = await pair(context)
  assert.deepEqual(await calls.echo({ text: 'x' }), { text: 'x' })
})

test('durations are told apart by edge only, however many methods it has', async (context) => {
  const metrics = createMetrics('broker')
  const { calls } = await pair(context, {}, { metrics })
  await calls.echo({ text: 'x' })
  await calls.large({ text: 'x' })
  await assert.rejects(calls.fail({ how: 'known' }))
  const durations = await valuesOf(metrics, 'rpc_call_duration_seconds')
  assert.deepEqual(new Set(durations.flatMap(({ labels }) => Object.keys(labels))), new Set(['edge', 'le']))
  assert.ok(durations.length <= 12, String(durations.length))
})
