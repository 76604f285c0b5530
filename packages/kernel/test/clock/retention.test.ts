// A clock set ahead deletes no data, even when the process starts under it. A clock that stays ahead is trusted after a day.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRetentionClock, stepTrustTime } from '../../src/clock/retention.ts'
import { fc } from '@gatehouse/testkit/random'

const numRuns = process.env['GATEHOUSE_PROFILE'] === 'full' ? 100_000 : 2_000
const year = 31_536_000_000
const start = Date.UTC(2026, 0, 1)

const createMachine = (wall = start) => {
  const machine = { wall, elapsed: 0 }
  const clock = createRetentionClock({ wall: () => machine.wall, elapsed: () => machine.elapsed })
  const pass = (milliseconds: number): void => {
    machine.wall += milliseconds
    machine.elapsed += milliseconds
  }
  return { machine, clock, pass }
}

test('retention time follows the wall clock', () => {
  const { clock, pass } = createMachine()
  pass(5_000)
  assert.equal(clock(), start + 5_000)
})

for (const [what, step] of Object.entries({ '10 s': 10_000, '10 minutes': 600_000, 'a day': 86_400_000, 'a year': year })) {
  test(`a step of ${what} forward ages no data until it has persisted`, () => {
    const { machine, clock, pass } = createMachine()
    machine.wall += step
    assert.equal(clock(), start)
    pass(stepTrustTime - 1)
    assert.equal(clock(), start + stepTrustTime - 1)
    pass(1)
    assert.equal(clock(), machine.wall)
  })

  test(`a step of ${what} forward that is reverted has no effect`, () => {
    const { machine, clock, pass } = createMachine()
    machine.wall += step
    clock()
    machine.wall -= step
    pass(stepTrustTime)
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

test('a step forward before the start ages no data until it has persisted, counted over restarts', () => {
  const before = createMachine()
  before.pass(1_000)
  const noted = before.clock.state()
  const { machine, clock, pass } = createMachine(start + 1_000 + year)
  clock.resume(noted)
  assert.equal(clock(), start + 1_000)
  pass(stepTrustTime / 2)
  assert.equal(clock(), start + 1_000 + stepTrustTime / 2)
  const again = createMachine(machine.wall + 5_000)
  again.clock.resume(clock.state())
  again.pass(stepTrustTime / 2 - 1)
  assert.equal(again.clock(), start + stepTrustTime + 999)
  again.pass(1)
  assert.equal(again.clock(), again.machine.wall - 5_000)
})

test('a clock that is corrected before the next start has no effect', () => {
  const wrong = createMachine(start + year)
  wrong.clock.resume({ time: start, target: start, lasted: 0 })
  wrong.pass(stepTrustTime - 1)
  const { machine, clock, pass } = createMachine(start + stepTrustTime - 1)
  clock.resume(wrong.clock.state())
  pass(stepTrustTime)
  assert.equal(clock(), machine.wall)
})

test('without a saved state no data ages until the clock has persisted', () => {
  const { machine, clock, pass } = createMachine()
  clock.resume(undefined)
  assert.equal(clock(), 0)
  pass(stepTrustTime)
  assert.equal(clock(), machine.wall)
})

test('a retention as long as the trust time holds in real time under random steps and restarts', () => {
  const hour = 60 * 60_000
  const moment = fc.record({
    step: fc.constantFrom(0, 0, 0, 10_000, -10_000, 600_000, -600_000, 24 * hour, -24 * hour, year, -year),
    pass: fc.constantFrom(1_000, hour, 7 * hour, 24 * hour),
    restarts: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(moment, { minLength: 1, maxLength: 12 }), fc.nat(11), (moments, written) => {
      const machine = { wall: start, elapsed: 0 }
      const sources = { wall: () => machine.wall, elapsed: () => machine.elapsed }
      let clock = createRetentionClock(sources)
      clock.resume(undefined)
      let record: { dated: number; at: number } | undefined
      for (const [index, { step, pass, restarts }] of moments.entries()) {
        machine.wall += step
        clock()
        if (index === written) record = { dated: machine.wall, at: machine.elapsed }
        machine.wall += pass
        machine.elapsed += pass
        if (restarts) {
          const state = clock.state()
          clock = createRetentionClock(sources)
          clock.resume(state)
        }
        assert.ok(clock() <= machine.wall, 'never later than the wall clock')
        if (record !== undefined && clock() - record.dated >= stepTrustTime)
          assert.ok(machine.elapsed - record.at >= stepTrustTime, 'removed early')
      }
    }),
    { numRuns },
  )
})
