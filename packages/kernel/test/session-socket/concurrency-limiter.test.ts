// Concurrency and rate limits of one session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConcurrencyLimiter, waitFor } from '../../src/index.ts'

test('the limit of requests runs at once, and the others follow in FIFO order', () => {
  const limiter = new ConcurrencyLimiter({ inFlight: 2 })
  assert.deepEqual([limiter.tryEnter(), limiter.tryEnter(), limiter.tryEnter()], [true, true, false])
  const entered: string[] = []
  for (const name of ['a', 'b', 'c']) limiter.wait(() => void entered.push(name))
  assert.equal(limiter.tryEnter(), false, 'a new request does not overtake a waiting one')
  limiter.leave()
  assert.deepEqual(entered, ['a'])
  limiter.leave()
  limiter.leave()
  assert.deepEqual(entered, ['a', 'b', 'c'])
})

test('a cancelled waiter is removed', () => {
  const limiter = new ConcurrencyLimiter({ inFlight: 1 })
  limiter.tryEnter()
  const entered: string[] = []
  const stopWaiting = limiter.wait(() => void entered.push('gone'))
  limiter.wait(() => void entered.push('here'))
  stopWaiting()
  limiter.leave()
  assert.deepEqual([entered, limiter.waiting], [['here'], 0])
})

test('starts within a minute are limited, and the next one begins when the first is a minute old', async () => {
  const limiter = new ConcurrencyLimiter({ perMinute: 3, minute: 400 })
  const began = performance.now()
  for (let count = 0; count < 3; count += 1) {
    assert.equal(limiter.tryEnter(), true)
    limiter.leave()
  }
  assert.equal(limiter.tryEnter(), false)
  const entered: number[] = []
  for (let count = 0; count < 4; count += 1) limiter.wait(() => void entered.push(performance.now()))
  assert.deepEqual(entered, [])
  await waitFor(() => entered.length === 4, { what: 'the others', deadline: 30_000 })
  const [first = 0, , , fourth = 0] = entered
  assert.ok(first - began >= 399, 'the fourth start waits until the first is old enough')
  assert.ok(fourth - first >= 399, 'and so does the seventh for the fourth')
})
