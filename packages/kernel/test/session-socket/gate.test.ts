// Room for the requests of one session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConcurrencyLimiter, waitFor } from '../../src/index.ts'

test('lets so many in at once, and the others in the order in which they came', () => {
  const gate = new ConcurrencyLimiter({ inFlight: 2 })
  assert.deepEqual([gate.tryEnter(), gate.tryEnter(), gate.tryEnter()], [true, true, false])
  const entered: string[] = []
  for (const name of ['a', 'b', 'c']) gate.wait(() => void entered.push(name))
  assert.equal(gate.tryEnter(), false, 'nobody overtakes those who wait')
  gate.leave()
  assert.deepEqual(entered, ['a'])
  gate.leave()
  gate.leave()
  assert.deepEqual(entered, ['a', 'b', 'c'])
})

test('forgets who no longer waits', () => {
  const gate = new ConcurrencyLimiter({ inFlight: 1 })
  gate.tryEnter()
  const entered: string[] = []
  const stopWaiting = gate.wait(() => void entered.push('gone'))
  gate.wait(() => void entered.push('here'))
  stopWaiting()
  gate.leave()
  assert.deepEqual([entered, gate.waiting], [['here'], 0])
})

test('lets no more begin within a minute than it may, and the next one when the first is a minute old', async () => {
  const gate = new ConcurrencyLimiter({ perMinute: 3, minute: 400 })
  const began = performance.now()
  for (let count = 0; count < 3; count += 1) {
    assert.equal(gate.tryEnter(), true)
    gate.leave()
  }
  assert.equal(gate.tryEnter(), false)
  const entered: number[] = []
  for (let count = 0; count < 4; count += 1) gate.wait(() => void entered.push(performance.now()))
  assert.deepEqual(entered, [])
  await waitFor(() => entered.length === 4, { what: 'the others', deadline: 30_000 })
  const [first = 0, , , fourth = 0] = entered
  assert.ok(first - began >= 399, 'the fourth start waits for the first to be old enough')
  assert.ok(fourth - first >= 399, 'and so does the seventh for the fourth')
})
