// Slots of a server: few at once, the rest in order, and none beyond the queue.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConcurrencyLimiter as Closable, type LimiterOptions, QueueFull } from '../../src/upstream/concurrency-limiter.ts'

const never = new AbortController().signal
const session = 'one'

/** That are never closed. */
class Slots {
  readonly #slots: Closable

  constructor(options: LimiterOptions) {
    this.#slots = new Closable(options)
  }

  async take(who: string, signal: AbortSignal): Promise<() => void> {
    return (await this.#slots.take(who, signal)) ?? assert.fail('they were closed')
  }
}

test('gives slots in the order in which they were asked for', async () => {
  const slots = new Slots({ most: 1 })
  const order: number[] = []
  const first = await slots.take(session, never)
  const rest = [1, 2, 3].map(async (number) => {
    const release = await slots.take(session, never)
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
  const release = await slots.take(session, never)
  const waiting = slots.take(session, never)
  await assert.rejects(slots.take(session, never), QueueFull)
  release()
  const next = await waiting
  next()
  assert.deepEqual(seen, [1, 0])
})

test('gives the place of one who gives up to the next', async () => {
  const slots = new Slots({ most: 1 })
  const release = await slots.take(session, never)
  const leaving = new AbortController()
  const left = slots.take(session, leaving.signal)
  const next = slots.take(session, never)
  leaving.abort(new Error('left'))
  await assert.rejects(left, /left/)
  release()
  const last = await next
  last()
  await slots.take(session, AbortSignal.abort(new Error('gone'))).then(
    () => assert.fail('took a slot'),
    (error: Error) => assert.equal(error.message, 'gone'),
  )
})

test('loses no slot when a slot is released twice, or when somebody leaves as a slot comes', async () => {
  const slots = new Slots({ most: 2 })
  const [one, two] = [await slots.take(session, never), await slots.take(session, never)]
  const leaving = new AbortController()
  const granted = slots.take(session, leaving.signal)
  one()
  one()
  leaving.abort()
  const third = await granted
  third()
  two()
  const again = await Promise.all([slots.take(session, never), slots.take(session, never)])
  assert.equal(again.length, 2)
  await assert.rejects(new Slots({ most: 0, queue: 0 }).take(session, never), QueueFull)
})

test('gives the sessions their turns, however much one of them asks for', async () => {
  const slots = new Slots({ most: 1 })
  const release = await slots.take('greedy', never)
  const order: string[] = []
  const ask = async (who: string, name: string): Promise<void> => {
    const done = await slots.take(who, never)
    order.push(name)
    done()
  }
  const greedy = ['g1', 'g2', 'g3', 'g4', 'g5'].map((name) => ask('greedy', name))
  const modest = [ask('two', 't1'), ask('three', 'h1'), ask('two', 't2')]
  release()
  await Promise.all([...greedy, ...modest])
  assert.deepEqual(order, ['g1', 't1', 'h1', 'g2', 't2', 'g3', 'g4', 'g5'])
})

test('keeps the turn of a session one of whose callers leaves', async () => {
  const slots = new Slots({ most: 1 })
  const release = await slots.take('one', never)
  const leaving = new AbortController()
  const order: string[] = []
  const ask = async (who: string, name: string, signal = never): Promise<void> => {
    const done = await slots.take(who, signal)
    order.push(name)
    done()
  }
  const left = ask('two', 't1', leaving.signal)
  const others = [ask('two', 't2'), ask('one', 'o1')]
  leaving.abort(new Error('left'))
  await assert.rejects(left)
  release()
  await Promise.all(others)
  assert.deepEqual(order, ['t2', 'o1'])
})

test('tells those who wait when there will be no slot, and those who come later; who has one keeps it', async () => {
  const seen: number[] = []
  const slots = new Closable({ most: 1, onWaiting: (waiting) => void seen.push(waiting) })
  const release = await slots.take('one', never)
  const waiting = ['one', 'two', 'two'].map((who) => slots.take(who, never))
  slots.close()
  assert.deepEqual([...(await Promise.all(waiting)), await slots.take('three', never)], [undefined, undefined, undefined, undefined])
  release?.()
  assert.equal(await slots.take('one', never), undefined)
  assert.deepEqual(seen, [1, 2, 3, 0])
})
