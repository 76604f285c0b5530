// The time that everything is judged by never steps back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/input/clock.ts'

test('follows the machine, and stands while the machine steps back', () => {
  let machine = 1000
  const clock = createClock(() => machine)
  assert.equal(clock(), 1000)
  machine = 2000
  assert.equal(clock(), 2000)
  machine = 500
  assert.equal(clock(), 2000)
  machine = 2001
  assert.equal(clock(), 2001)
})

test('is at least as late as it was told', () => {
  const clock = createClock(() => 1000)
  clock.reach(5000)
  assert.equal(clock(), 5000)
  clock.reach(4000)
  assert.equal(clock(), 5000)
})
