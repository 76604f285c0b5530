// Slots of a server: few at once, the rest in order, and none beyond the queue.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueueFull, Slots } from '../../src/fairness/slots.ts'

const never = new AbortController().signal

test('gives slots in the order in which they were asked for', async () => {
  const slots = new Slots({ most: 1 })
  const order: number[] = []
  const first = await slots.take(never)
  const rest = [1, 2, 3].map(async (number) => {
    const release = await slots.take(never)
    order.push(number)
    release()
  })
  first()
  await Promise.all(rest)
  assert.deepEqual(order, [1, 2, 3])
})

test('refuses at once when the queue is full', async () => {
  const seen: number[] = []
  const slots = new Slots({ most: 1, queue: 1, onWaiting: (waiting) => void seen.push(waiting) })
  const release = await slots.take(never)
  const waiting = slots.take(never)
  await assert.rejects(slots.take(never), QueueFull)
  release()
  const next = await waiting
  next()
  assert.deepEqual(seen, [1, 0])
})

test('gives the place of one who gives up to the next', async () => {
  const slots = new Slots({ most: 1 })
  const release = await slots.take(never)
  const leaving = new AbortController()
  const left = slots.take(leaving.signal)
  const next = slots.take(never)
  leaving.abort(new Error('left'))
  await assert.rejects(left, /left/)
  release()
  const last = await next
  last()
  await slots.take(AbortSignal.abort(new Error('gone'))).then(
    () => assert.fail('took a slot'),
    (error: Error) => assert.equal(error.message, 'gone'),
  )
})

test('loses no slot when a slot is released twice, or when somebody leaves as a slot comes', async () => {
  const slots = new Slots({ most: 2 })
  const [one, two] = [await slots.take(never), await slots.take(never)]
  const leaving = new AbortController()
  const granted = slots.take(leaving.signal)
  one()
  one()
  leaving.abort()
  const third = await granted
  third()
  two()
  const again = await Promise.all([slots.take(never), slots.take(never)])
  assert.equal(again.length, 2)
  await assert.rejects(new Slots({ most: 0, queue: 0 }).take(never), QueueFull)
})
