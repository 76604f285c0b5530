// Every metric of a process is registered at start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MetricRow, metrics as rows } from '@gatehouse/contracts'
import { createMetrics } from '../../src/index.ts'

interface Family {
  name: string
  values: { value: number; labels: Record<string, string>; metricName?: string }[]
}

const families = async (metrics: { json(): Promise<object[]> }): Promise<Map<string, Family>> =>
  new Map((await metrics.json()).map((family) => [(family as Family).name, family as Family]))

test('the metrics of the process and the common ones are registered at 0, and no others', async () => {
  for (const owner of ['gateway', 'broker', 'runner', 'model-proxy', 'channels', 'control-plane', 'supervisor'] as const) {
    const found = await families(createMetrics(owner))
    const expected = Object.entries<MetricRow>(rows).filter(
      ([, row]) => row.owner === owner || row.owner === 'every' || row.also?.some((also) => also === owner),
    )
    assert.deepEqual([...found.keys()].toSorted(), expected.map(([name]) => `gatehouse_${name}`).toSorted())
    for (const [name, row] of expected) {
      const values = found.get(`gatehouse_${name}`)?.values ?? []
      if (row.labels.length === 0) assert.ok(values.length > 0 && values.every(({ value }) => value === 0), name)
    }
  }
})

test('touch exposes a label set at 0 and never resets it', async () => {
  const metrics = createMetrics('broker')
  metrics.touch('broker_requests_total', { server: 'sample', op: 'call', status: 'ok' })
  metrics.touch('broker_upstream_up', { server: 'sample' })
  metrics.touch('broker_request_duration_seconds', { server: 'sample', op: 'call' })
  const read = async (name: string) => (await families(metrics)).get(`gatehouse_${name}`)?.values ?? []
  assert.deepEqual(
    (await read('broker_requests_total')).map(({ value }) => value),
    [0],
  )
  assert.deepEqual(
    (await read('broker_upstream_up')).map(({ value }) => value),
    [0],
  )
  assert.ok((await read('broker_request_duration_seconds')).length > 10)
  metrics.counter('broker_requests_total').inc({ server: 'sample', op: 'call', status: 'ok' })
  metrics.touch('broker_requests_total', { server: 'sample', op: 'call', status: 'ok' })
  assert.deepEqual(
    (await read('broker_requests_total')).map(({ value }) => value),
    [1],
  )
})

test('collectors run before each collection', async () => {
  const metrics = createMetrics('broker')
  const read = async () => (await families(metrics)).get('gatehouse_broker_queue_depth')?.values.map(({ value }) => value)
  metrics.beforeCollect(() => metrics.gauge('broker_queue_depth').inc({ server: 'sample' }))
  assert.deepEqual([await read(), await read()], [[1], [2]])
})

test('a metric of another process is refused', () => {
  assert.throws(() => createMetrics('gateway').gauge('sandbox_live'), /sandbox_live is not a gauge of gateway/)
})

test('two sets of metrics do not share a registry', async () => {
  const first = createMetrics('runner')
  createMetrics('runner').gauge('sandbox_live').set(3)
  assert.equal((await families(first)).get('gatehouse_sandbox_live')?.values[0]?.value, 0)
})
