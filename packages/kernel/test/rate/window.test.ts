// Sliding window of starts, with a clock that the test advances.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWindow } from '../../src/index.ts'

test('the maximum may start at once, and wait returns the exact time until the next start', () => {
  let now = 0
  const window = createWindow({ now: () => now })
  for (const at of [0, 10, 20]) {
    now = at
    assert.equal(window.wait(3), 0)
    window.add()
  }
  now = 1_000
  assert.equal(window.wait(3), 59_000)
  now = 59_999
  assert.equal(window.wait(3), 1)
  now = 60_000
  assert.equal(window.wait(3), 0)
})

test('a lowered maximum counts earlier starts, and a raised one applies at once', () => {
  let now = 0
  const window = createWindow({ now: () => now })
  for (now = 0; now < 10; now += 1) window.add()
  assert.equal(window.wait(2), 8 + 60_000 - 10)
  assert.equal(window.wait(11), 0)
})

test('no minute contains more starts than the maximum, whatever their times', () => {
  let now = 0
  const window = createWindow({ now: () => now })
  const starts: number[] = []
  for (let step = 0; step < 20_000; step += 1) {
    now += (step * 7919) % 23
    if (window.wait(50) > 0) continue
    window.add()
    starts.push(now)
  }
  for (const [index, start] of starts.entries()) {
    const later = starts[index + 50]
    assert.ok(later === undefined || later - start >= 60_000, `51 starts within ${(later ?? 0) - start} ms`)
  }
  assert.ok(starts.length > 150)
})
