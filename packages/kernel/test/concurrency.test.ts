// Retry backoff and polling.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoff, waitFor } from '../src/index.ts'

test('delays stay below a ceiling that doubles up to the maximum, and start over after a reset', (context) => {
  context.mock.method(Math, 'random', () => 0.5)
  const pauses = backoff({ first: 20, most: 100 })
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => pauses.next()),
    [10, 20, 40, 50, 50],
  )
  pauses.reset()
  assert.equal(pauses.next(), 10)
})

test('waitFor resolves to the value when the condition holds', async () => {
  let looks = 0
  assert.equal(await waitFor(() => (++looks === 3 ? 'there' : undefined), { what: 'x', every: 1 }), 'there')
  assert.equal(looks, 3)
})

test('waitFor names what it waited for when the deadline passes', async () => {
  await assert.rejects(
    waitFor(() => false, { what: 'the moon', deadline: 5, every: 1 }),
    /expected the moon within 5 ms, got nothing/,
  )
})
