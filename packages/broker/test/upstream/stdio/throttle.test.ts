// What a server writes is taken in short turns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ItemEffect, ReadThrottle } from '../../../src/upstream/stdio/throttle.ts'

const world = (perLine = 0, requests = 1, heard: ItemEffect = 'nothing') => {
  const taken: string[] = []
  const source = { paused: 0, resumed: 0, pause: () => (source.paused += 1), resume: () => (source.resumed += 1) }
  const turns = new ReadThrottle<string>(source, (line) => {
    const began = performance.now()
    while (performance.now() - began < perLine);
    taken.push(line)
    return heard
  })
  for (let at = 0; at < requests; at += 1) turns.ask()
  return { taken, source, turns }
}
const lines = (count: number) => Array.from({ length: count }, (_, at) => String(at))

test('a line alone is taken at once, and the source is never paused', async () => {
  const { taken, source, turns } = world()
  for (const line of lines(3)) {
    turns.take(line)
    assert.equal(taken.at(-1), line)
    await nextTurn()
  }
  assert.deepEqual(source, { ...source, paused: 0, resumed: 0 })
})

test('a flood leaves the event loop to others between its turns, in order, while its source is paused', async () => {
  const { taken, source, turns } = world(1)
  const all = lines(20)
  for (const line of all) turns.take(line)
  assert.ok(taken.length < 3, `${taken.length} lines were taken in one turn`)
  assert.equal(source.paused, 1)
  let others = 0
  while (taken.length < all.length) {
    await nextTurn()
    others += 1
  }
  assert.ok(others >= 9, `others had ${others} turns`)
  assert.deepEqual(taken, all)
  assert.equal(source.resumed, 1)
})

test('what waits at the end is taken, once', async () => {
  const { taken, turns } = world(1)
  const all = lines(10)
  for (const line of all) turns.take(line)
  turns.finish()
  assert.deepEqual(taken, all)
  await nextTurn()
  await nextTurn()
  assert.deepEqual(taken, all)
})

for (const { title, heard, most } of [
  { title: 'no more than a few lines are taken in one turn, however quick they are', heard: 'answer', most: 16 },
  { title: 'a question of the server counts as what nobody asked for, also where an answer is waited for', heard: 'question', most: 2 },
] as const) {
  test(title, async () => {
    const { taken, turns } = world(0, 2, heard)
    const all = lines(100)
    for (const line of all) turns.take(line)
    assert.ok(taken.length <= most, `${taken.length} lines were taken in one turn`)
    while (taken.length < all.length) await nextTurn()
    assert.deepEqual(taken, all)
  })
}

test('what nobody asked for is taken with a rest after each turn, and the answer to a later request without', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  const { taken, source, turns } = world(0.01, 0)
  const all = lines(40)
  for (const line of all) turns.take(line)
  const first = taken.length
  assert.ok(first <= 16, `${first} lines were taken in one turn`)
  t.mock.timers.tick(1)
  assert.equal(taken.length, first, 'lines that were taken without a rest')
  while (taken.length < all.length) t.mock.timers.tick(1)
  assert.deepEqual(taken, all)
  t.mock.timers.tick(2)
  assert.equal(source.resumed, 1)
  turns.ask()
  turns.take('answer')
  assert.equal(taken.at(-1), 'answer')
})

test('what sets something going counts as several lines where nobody asked for it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  const { taken, turns } = world(0, 0, 'answer')
  const all = lines(20)
  for (const line of all) turns.take(line)
  assert.ok(taken.length <= 3, `${taken.length} lines were heard in one turn`)
  while (taken.length < all.length) t.mock.timers.tick(1)
  assert.deepEqual(taken, all)
})

test('others have a turn after each large piece, and a rest where the line is too long to be of use', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  const { source, turns } = world()
  turns.read(64 * 1_024)
  assert.deepEqual([source.paused, source.resumed], [1, 0])
  t.mock.timers.tick(0)
  assert.equal(source.resumed, 1)
  turns.forfeit()
  turns.read(64 * 1_024)
  t.mock.timers.tick(1)
  assert.equal(source.resumed, 1, 'a piece of no use that was followed without a rest')
  t.mock.timers.tick(1)
  assert.equal(source.resumed, 2)
})

test('who goes on unasked is heard after ever longer rests, up to a bound, and after a quiet time after short ones again', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  let clock = 1_000
  t.mock.method(performance, 'now', () => clock)
  const { taken, turns } = world(0, 0)
  /** Milliseconds from one turn to the next, while there is always more. */
  const rests = (count: number) =>
    Array.from({ length: count }, () => {
      const [before, began] = [taken.length, clock]
      for (const line of lines(200)) turns.take(line)
      const heard = taken.length
      while (taken.length === heard) t.mock.timers.tick((clock += 1) && 1)
      assert.ok(taken.length - before <= 2 * 64)
      return clock - began
    })
  const flood = rests(12)
  assert.ok((flood[0] ?? 0) <= 2 && flood.every((rest, at) => rest >= (flood[at - 1] ?? 0)), flood.join(' '))
  assert.equal(flood.at(-1), 16)
  for (let wait = 0; taken.length < 12 * 200; wait += 1) t.mock.timers.tick((clock += 1) && 1)
  t.mock.timers.tick(100)
  clock += 1_000
  assert.ok((rests(1)[0] ?? 99) <= 2)
})

test('a request ends the rest of a server that nobody asked before', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  const { taken, turns } = world(0, 0)
  const all = lines(70)
  for (const line of all) turns.take(line)
  assert.ok(taken.length < all.length)
  turns.ask()
  t.mock.timers.tick(0)
  assert.deepEqual(taken, all)
  t.mock.timers.tick(100)
  assert.deepEqual(taken, all)
})
