// Places for bodies: who waits is served, who takes long gives way, and nothing of a sender stays behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BodySlot, BodySlots } from '../../src/guards/body-slots.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Takes a place; `place` is there once it was given. */
const come = (places: BodySlots, key = 'a', signal = new AbortController().signal): { place?: BodySlot; given: Promise<void> } => {
  const visitor: { place?: BodySlot; given: Promise<void> } = { given: Promise.resolve() }
  visitor.given = places.take(key, signal).then((place) => void (visitor.place = place))
  return visitor
}

const leave = ({ place }: { place?: BodySlot }): void => place?.giveBack()
const hasPlace = ({ place }: { place?: BodySlot }): boolean => place !== undefined

test('who finds no place waits for one, the newest first, and other senders do not', async () => {
  const places = new BodySlots({ most: 1, time: 3_600_000, waiting: 64 })
  const [first, second, third, other] = [come(places), come(places), come(places), come(places, 'b')]
  await Promise.all([first.given, other.given])
  assert.deepEqual([second, third].map(hasPlace), [false, false])
  leave(first)
  await third.given
  assert.equal(hasPlace(second), false)
  leave(third)
  await second.given
  leave(second)
  leave(other)
  assert.equal(places.size, 0)
})

test('who takes long is asked to go where somebody waits, and only then', async () => {
  const places = new BodySlots({ most: 2, time: 1, waiting: 64 })
  const [slow, whole] = [come(places), come(places)]
  await Promise.all([slow.given, whole.given])
  whole.place?.whole()
  await turn()
  assert.equal(slow.place?.signal.aborted, false)
  const waits = come(places)
  const { promise, resolve } = Promise.withResolvers<void>()
  slow.place?.signal.addEventListener('abort', () => resolve())
  await promise
  leave(slow)
  await waits.given
  assert.equal(whole.place?.signal.aborted, false, 'a body that is here is not lost')
  for (const visitor of [whole, waits]) leave(visitor)
  assert.equal(places.size, 0)
})

test('weakened, without an end to patience, one that never ends keeps all others out', async () => {
  const places = new BodySlots({ most: 1, time: 3_600_000, waiting: 64 })
  const [slow, waits] = [come(places), come(places)]
  await slow.given
  for (let turns = 0; turns < 10; turns += 1) await turn()
  assert.deepEqual([hasPlace(waits), slow.place?.signal.aborted], [false, false])
  leave(slow)
  await waits.given
})

test('of those that wait no more are kept than may wait, and none that went away', async () => {
  const places = new BodySlots({ most: 1, time: 3_600_000, waiting: 3 })
  const first = come(places)
  await first.given
  const gone = new AbortController()
  const left = come(places, 'a', gone.signal)
  gone.abort(new Error('gone'))
  await assert.rejects(left.given, /gone/)
  const crowd = Array.from({ length: 5 }, () => come(places))
  for (const { given } of crowd.slice(0, 2)) await assert.rejects(given, /too many requests wait/)
  leave(first)
  for (const visitor of crowd.slice(2).toReversed()) {
    await visitor.given
    leave(visitor)
  }
  assert.equal(places.size, 0)
})
