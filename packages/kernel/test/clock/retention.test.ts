// A clock that was set ahead removes nothing; one that stays ahead is believed in the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRetentionClock, stepTrusted } from '../../src/clock/retention.ts'

const year = 31_536_000_000
const start = Date.UTC(2026, 0, 1)

const createMachine = () => {
  const machine = { wall: start, elapsed: 0 }
  const clock = createRetentionClock({ wall: () => machine.wall, elapsed: () => machine.elapsed })
  const pass = (milliseconds: number): void => {
    machine.wall += milliseconds
    machine.elapsed += milliseconds
  }
  return { machine, clock, pass }
}

test('time passes as on the wall clock', () => {
  const { clock, pass } = createMachine()
  pass(5_000)
  assert.equal(clock(), start + 5_000)
})

for (const [what, step] of Object.entries({ '10 s': 10_000, '10 minutes': 600_000, 'a day': 86_400_000, 'a year': year })) {
  test(`a step of ${what} forward does not age anything before it has lasted`, () => {
    const { machine, clock, pass } = createMachine()
    machine.wall += step
    assert.equal(clock(), start)
    pass(stepTrusted - 1)
    assert.equal(clock(), start + stepTrusted - 1)
    pass(1)
    assert.equal(clock(), machine.wall)
  })

  test(`a step of ${what} forward that is taken back leaves no trace`, () => {
    const { machine, clock, pass } = createMachine()
    machine.wall += step
    clock()
    machine.wall -= step
    pass(stepTrusted)
    assert.equal(clock(), machine.wall)
    machine.wall += step
    assert.equal(clock(), machine.wall - step)
  })

  test(`a step of ${what} back counts at once`, () => {
    const { machine, clock } = createMachine()
    machine.wall -= step
    assert.equal(clock(), machine.wall)
  })
}
