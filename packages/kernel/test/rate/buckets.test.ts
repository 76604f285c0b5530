// Buckets in bounded memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBuckets } from '../../src/rate.ts'

test('remembers at most so many keys and forgets the one that was quiet for longest', () => {
  const buckets = createBuckets({ perSecond: 1, burst: 1, most: 3, now: () => 0 })
  for (const key of ['a', 'b', 'c']) assert.ok(buckets.take(key).ok)
  assert.ok(!buckets.take('a').ok)
  assert.ok(buckets.take('d').ok)
  assert.equal(buckets.size(), 3)
  assert.ok(!buckets.take('a').ok, 'a was used last and is remembered')
  assert.ok(buckets.take('b').ok, 'b was quiet and is forgotten')
})

test('stays bounded under a hundred thousand keys', () => {
  const buckets = createBuckets({ perSecond: 1, burst: 1, most: 1_000, now: () => 0 })
  for (let i = 0; i < 100_000; i += 1) buckets.take(String(i))
  assert.equal(buckets.size(), 1_000)
})

test('never fills beyond its burst', () => {
  let now = 0
  const buckets = createBuckets({ perSecond: 10, burst: 2, now: () => now })
  buckets.take('a')
  now = 1e9
  assert.deepEqual(buckets.take('a'), { ok: true, remaining: 1, reset: 1, retryAfter: 0 })
})

test('says what would be taken without taking it', () => {
  const buckets = createBuckets({ perSecond: 1, burst: 1, now: () => 0 })
  for (let looks = 0; looks < 3; looks += 1) assert.equal(buckets.look('a').ok, true)
  assert.equal(buckets.size(), 0)
  assert.deepEqual(buckets.look('a'), buckets.take('a'))
  assert.deepEqual(buckets.look('a'), { ok: false, remaining: 0, reset: 1, retryAfter: 1 })
})
