// Token buckets in bounded memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBuckets } from '../../src/rate.ts'

test('at most maxKeys keys are kept, and the least recently used is dropped', () => {
  const buckets = createBuckets({ perSecond: 1, burst: 1, maxKeys: 3, now: () => 0 })
  for (const key of ['a', 'b', 'c']) assert.ok(buckets.take(key).ok)
  assert.ok(!buckets.take('a').ok)
  assert.ok(buckets.take('d').ok)
  assert.equal(buckets.size(), 3)
  assert.ok(!buckets.take('a').ok, 'a was used last and is kept')
  assert.ok(buckets.take('b').ok, 'b was least recently used and is dropped')
})

test('memory stays bounded under a hundred thousand keys', () => {
  const buckets = createBuckets({ perSecond: 1, burst: 1, maxKeys: 1_000, now: () => 0 })
  for (let i = 0; i < 100_000; i += 1) buckets.take(String(i))
  assert.equal(buckets.size(), 1_000)
})

test('a bucket never fills beyond its burst', () => {
  let now = 0
  const buckets = createBuckets({ perSecond: 10, burst: 2, now: () => now })
  buckets.take('a')
  now = 1e9
  assert.deepEqual(buckets.take('a'), { ok: true, remaining: 1, reset: 1, retryAfter: 0 })
})

test('peek shows the result of take without taking a token', () => {
  const buckets = createBuckets({ perSecond: 1, burst: 1, now: () => 0 })
  for (let looks = 0; looks < 3; looks += 1) assert.equal(buckets.peek('a').ok, true)
  assert.equal(buckets.size(), 0)
  assert.deepEqual(buckets.peek('a'), buckets.take('a'))
  assert.deepEqual(buckets.peek('a'), { ok: false, remaining: 0, reset: 1, retryAfter: 1 })
})
