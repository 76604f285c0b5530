// The clock never steps back and never stops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/clock/clock.ts'
import { fc } from '@gatehouse/testkit/random'

const numRuns = process.env['GATEHOUSE_PROFILE'] === 'full' ? 100_000 : 2_000

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

test('the clock follows the machine to the millisecond', () => {
  const { clock, pass } = world()
  assert.equal(clock(), 1000)
  pass(0.7)
  assert.equal(clock(), 1000)
  pass(999.3)
  assert.equal(clock(), 2000)
  assert.equal(clock.ahead(), 0)
})

test('the clock advances, more slowly, while the machine is behind, until the machine has caught up', () => {
  const { machine, clock, pass } = world()
  assert.equal(clock(), 1000)
  machine.time -= 900
  assert.deepEqual([clock(), clock.ahead()], [1000, 900])
  const results = Array.from({ length: 100 }, () => {
    pass(100)
    return clock()
  })
  assert.deepEqual(
    results,
    results.toSorted((a, b) => a - b),
  )
  assert.ok((results[9] ?? 0) > 1800, 'the clock does not stop')
  assert.deepEqual([clock(), clock.ahead()], [machine.time, 0])
})

test('reach moves the clock forward to a time, and the clock continues from there', () => {
  const { clock, pass } = world()
  clock.reach(5000)
  assert.equal(clock(), 5000)
  clock.reach(4000)
  assert.equal(clock(), 5000)
  pass(1000)
  assert.equal(clock(), 5900)
})

for (const [what, step] of Object.entries({ '10 s': 10_000, '10 minutes': 600_000, 'a day': 86_400_000, 'a year': 31_536_000_000 })) {
  test(`a deadline passes within its remaining time when the machine is set back by ${what}`, () => {
    const { machine, clock, pass } = world()
    const deadline = clock() + 3_600_000
    assert.equal(clock.isPast(deadline), false)
    machine.time -= step
    pass(3_599_999)
    assert.equal(clock.isPast(deadline), false)
    pass(1)
    assert.equal(clock.isPast(deadline), true)
    machine.time -= step
    assert.equal(clock.isPast(deadline), true, 'a past deadline stays past')
  })
}

test('a deadline that was never checked is past when the clock reaches it', () => {
  const { clock, pass } = world()
  pass(5_000)
  assert.deepEqual([clock.isPast(6_000), clock.isPast(6_001), clock.isPast(Infinity)], [true, false, false])
})

test('under random steps a deadline passes in time and stays past, and the clock never goes back', () => {
  const year = 31_536_000_000
  const moment = fc.record({
    step: fc.constantFrom(0, 0, 10_000, -10_000, 600_000, -600_000, 86_400_000, -86_400_000, year, -year),
    pass: fc.constantFrom(0, 1, 999, 60_000, 3_600_000, 86_400_000),
    term: fc.constantFrom(1, 10_000, 3_600_000, 86_400_000, 2 * year),
  })
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 20 }), (moments) => {
      const { machine, clock, pass } = world()
      const watched: { deadline: number; end: number; isPast: boolean }[] = []
      let last = clock()
      for (const { step, pass: time, term } of moments) {
        machine.time += step
        const deadline = clock() + term
        watched.push({ deadline, end: machine.passed + term, isPast: clock.isPast(deadline) })
        pass(time)
        assert.ok(clock() >= last && clock() >= Math.floor(machine.time))
        last = clock()
        for (const one of watched) {
          const isPast = clock.isPast(one.deadline)
          assert.ok(isPast || machine.passed < one.end, 'a deadline passed too late')
          assert.ok(isPast || !one.isPast, 'a past deadline became pending again')
          one.isPast = isPast
        }
      }
    }),
    { numRuns },
  )
})
