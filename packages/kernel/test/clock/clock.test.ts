// The time that everything is judged by never steps back, and never stands for long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/clock/clock.ts'

const world = () => {
  const machine = { time: 1000, passed: 0 }
  const clock = createClock(
    () => machine.time,
    () => machine.passed,
  )
  const pass = (milliseconds: number): void => {
    machine.time += milliseconds
    machine.passed += milliseconds
  }
  return { machine, clock, pass }
}

test('follows the machine, to the millisecond', () => {
  const { clock, pass } = world()
  assert.equal(clock(), 1000)
  pass(0.7)
  assert.equal(clock(), 1000)
  pass(999.3)
  assert.equal(clock(), 2000)
  assert.equal(clock.ahead(), 0)
})

test('goes on while the machine is behind, never back, until the machine has caught up', () => {
  const { machine, clock, pass } = world()
  assert.equal(clock(), 1000)
  machine.time -= 900
  assert.deepEqual([clock(), clock.ahead()], [1000, 900])
  const said = Array.from({ length: 100 }, () => {
    pass(100)
    return clock()
  })
  assert.deepEqual(
    said,
    said.toSorted((a, b) => a - b),
  )
  assert.ok((said[9] ?? 0) > 1800, 'it does not stand')
  assert.deepEqual([clock(), clock.ahead()], [machine.time, 0])
})

test('is at least as late as it was told, and goes on from there', () => {
  const { clock, pass } = world()
  clock.reach(5000)
  assert.equal(clock(), 5000)
  clock.reach(4000)
  assert.equal(clock(), 5000)
  pass(1000)
  assert.equal(clock(), 5900)
})
