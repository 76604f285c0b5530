// Pauses that grow, and conditions that are waited for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoff, waitFor } from '../../src/index.ts'

test('pauses stay below a ceiling that doubles up to the most, and start anew after a reset', (context) => {
  context.mock.method(Math, 'random', () => 0.5)
  const pauses = backoff({ first: 20, most: 100 })
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => pauses.next()),
    [10, 20, 40, 50, 50],
  )
  pauses.reset()
  assert.equal(pauses.next(), 10)
})

test('waits until the condition holds and gives its value', async () => {
  let looks = 0
  assert.equal(await waitFor(() => (++looks === 3 ? 'there' : undefined), { what: 'x', every: 1 }), 'there')
  assert.equal(looks, 3)
})

test('says what did not come when the deadline passes', async () => {
  await assert.rejects(
    waitFor(() => false, { what: 'the moon', deadline: 5, every: 1 }),
    /expected the moon within 5 ms, got nothing/,
  )
})
