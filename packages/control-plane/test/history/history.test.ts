// The last hour in numbers: counters become what happened in between, restarts and gaps do no harm, memory stays bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusHistory } from '@gatehouse/contracts'
import { silentLogger as log } from '@gatehouse/kernel'
import * as v from 'valibot'
import { createHistory, quantileOf } from '../../src/history.ts'

const counter = (name: string, value: number, labels = {}) => ({ name: `gatehouse_${name}`, type: 'counter', values: [{ value, labels }] })

const keep = (readings: readonly Record<string, unknown>[], most = 360) => {
  const rest = [...readings]
  return createHistory({
    log,
    most,
    read: () => {
      const next = rest.shift()
      return next === undefined ? Promise.reject(new Error('away')) : Promise.resolve(next)
    },
  })
}

test('a sample holds what happened since the one before, and a process that starts anew begins anew', async () => {
  const calls = (ok: number, refused: number) => [
    {
      name: 'gatehouse_broker_requests_total',
      values: [
        { value: ok, labels: { status: 'ok' } },
        { value: refused, labels: { status: 'refused' } },
      ],
    },
  ]
  const history = keep([
    { broker: calls(100, 5), gateway: [counter('gateway_decisions_total', 7), counter('gateway_held_changes', 2)] },
    { broker: calls(110, 6), gateway: [counter('gateway_decisions_total', 9), counter('gateway_held_changes', 3)] },
    { broker: calls(4, 1), gateway: [counter('gateway_decisions_total', 9), counter('gateway_held_changes', 1)] },
  ])
  for (let turn = 0; turn < 3; turn += 1) await history.take()
  const { samples } = v.parse(StatusHistory, history.shown())
  assert.deepEqual(
    samples.map(({ calls, callErrors, decisions, held }) => ({ calls, callErrors, decisions, held })),
    [
      { calls: 11, callErrors: 1, decisions: 2, held: 3 },
      { calls: 5, callErrors: 1, decisions: 0, held: 1 },
    ],
  )
})

test('readings that fail leave a gap, and no more is kept than may be', async () => {
  const reading = (value: number) => ({ gateway: [counter('gateway_decisions_total', value)], broker: 'what is this' })
  const history = keep([reading(0), reading(1), reading(2), reading(4)], 2)
  for (let turn = 0; turn < 6; turn += 1) await history.take()
  assert.deepEqual(
    history.shown().samples.map(({ decisions }) => decisions),
    [1, 2],
  )
})

test('a quantile lies within its bucket', () => {
  const buckets = [
    { upTo: 0.01, count: 50 },
    { upTo: 0.1, count: 90 },
    { upTo: Infinity, count: 100 },
  ]
  assert.equal(quantileOf(0.5, buckets), 0.01)
  assert.ok((quantileOf(0.8, buckets) ?? 0) > 0.01 && (quantileOf(0.8, buckets) ?? 1) < 0.1)
  assert.equal(quantileOf(0.99, buckets), 0.1)
  assert.equal(quantileOf(0.5, [{ upTo: 1, count: 0 }]), undefined)
})
