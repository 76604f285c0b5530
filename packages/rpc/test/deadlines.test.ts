// Many deadlines under one timer: each is kept, whatever the others are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settleDeadline, type Waiting, watchDeadline } from '../src/call.ts'
import { caller, pair } from './fixtures/edge.ts'

const wait = (milliseconds: number, from = performance.now()): { waiting: Waiting; gaveUp: Promise<number> } => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const waiting = { end: from + milliseconds, giveUp: () => resolve(performance.now()) }
  watchDeadline(waiting)
  return { waiting, gaveUp: promise }
}

test('deadlines pass in their own order, not in that of their beginning, and none too early', async () => {
  const order: number[] = []
  const from = performance.now()
  const all = [60, 20, 40, 1, 0].map(async (milliseconds) => {
    const { waiting, gaveUp } = wait(milliseconds, from)
    assert.ok((await gaveUp) >= waiting.end)
    order.push(milliseconds)
  })
  await Promise.all(all)
  assert.deepEqual(order, [0, 1, 20, 40, 60])
})

test('what is settled is never given up, and the others still are', async () => {
  const from = performance.now()
  const settled = wait(5, from)
  const other = wait(30, from)
  settleDeadline(settled.waiting)
  const first = await Promise.race([settled.gaveUp.then(() => 'settled'), other.gaveUp.then(() => 'other')])
  assert.equal(first, 'other')
})

test('calls of one caller with different deadlines give up each at its own', async (context) => {
  const { calls, path } = await pair(context)
  const order: number[] = []
  await Promise.all(
    [900, 10, 450].map(async (deadline) => {
      await assert.rejects(calls.hang({}, { deadline }), { code: 'deadline' })
      order.push(deadline)
    }),
  )
  assert.deepEqual(order, [10, 450, 900])
  assert.deepEqual(await caller(context, { path }).calls.echo({ text: 'x' }), { text: 'x' })
})
