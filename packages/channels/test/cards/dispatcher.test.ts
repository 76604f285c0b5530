// Cards on their way: each shown and noted once it stands, again until it does, and none held up by another.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { limits, type Reference, ServiceError } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { type CardPost, type Cards, SendFailure } from '../../src/channel.ts'
import { Pacer } from '../../src/state/pacer.ts'
import { createBoard, type Place, taskWith } from '../fixtures/dispatcher.ts'
import { approvedBy } from '../fixtures/card.ts'

const open = (t: TestContext, place: Place = {}) => {
  const board = createBoard(place)
  t.after(() => board.board.stop())
  return board
}
const soon = (what: string, is: () => boolean) => waitFor(async () => is() || undefined, { what, deadline: 30_000 })

/** Cards of a channel that notes what it is asked. */
const noting = () => {
  const acts: [string, CardPost][] = []
  const cards: Cards = {
    post: (post) => (acts.push(['post', post]), Promise.resolve({ message: 'm1' })),
    update: (update) => (acts.push(['update', update]), Promise.resolve()),
  }
  return { acts, cards }
}

const envelope = (address: string): Reference => ({ address, thread: 't1', own: { to: 'ann' } })

test('a card stands in the conversation in which it was asked for, and what the channel says of it is kept', async (t) => {
  const { acts, cards } = noting()
  const { put, told } = open(t, { cards, envelope: envelope('ops') })
  put(taskWith({ session: 'ses_aaaaaaaaaaaaa' as never, approvers: ['kim'] }))
  await soon('the note', () => told.length === 1)
  const [[act, { place, card }] = assert.fail()] = acts
  assert.deepEqual(
    [act, card.changeID, place],
    ['post', 'chg_20261122125301.123000000', { address: 'ops', thread: 't1', reference: { to: 'ann' }, approvers: ['kim'] }],
  )
  assert.deepEqual(told[0], {
    id: 1,
    act: 'post',
    revision: 1,
    version: 'v1',
    failed: false,
    reference: { thread: 't1', own: { to: 'ann' }, posted: { message: 'm1' } },
  })
})

test('a conversation at another address is none of this place', async (t) => {
  const { acts, cards } = noting()
  const { put, told } = open(t, { cards, envelope: envelope('elsewhere') })
  put(taskWith({ session: 'ses_aaaaaaaaaaaaa' as never }))
  await soon('the note', () => told.length === 1)
  assert.deepEqual(acts[0]?.[1].place, { address: 'ops', thread: undefined, reference: {}, approvers: [] })
})

test('an update and a reminder go where the card stands; a reminder is a text where the channel has none of its own', async (t) => {
  const { acts, cards } = noting()
  const { put, told, sent } = open(t, { cards, envelope: envelope('changed since') })
  const reference = { thread: 't1', own: { to: 'ann' }, posted: { message: 'm1' } }
  put(
    taskWith({ id: 1, act: 'update', reference, card: approvedBy({ channel: 'webhook', user: 'kim' }) }),
    taskWith({ id: 2, act: 'remind', reminder: 1, reference }),
  )
  await soon('both notes', () => told.length === 2)
  const [[, update] = assert.fail()] = acts
  assert.deepEqual([acts.length, update.place.thread, 'posted' in update && update.posted], [1, 't1', { message: 'm1' }])
  assert.deepEqual([sent.length, sent[0]?.thread, sent[0]?.reference], [1, 't1', { to: 'ann' }])
  assert.match(sent[0]?.text ?? '', /^Still pending/)
  assert.deepEqual(told.map(({ act, reminder }) => `${act} ${reminder}`).toSorted(), ['remind 1', 'update undefined'])
})

test('each try has the same id; an update to something else, each reminder and each card have their own', async (t) => {
  const ids: string[] = []
  let failing = 2
  const { put, told } = open(t, {
    send: ({ id }) => {
      ids.push(id)
      failing -= 1
      return failing >= 0 ? Promise.reject(new Error('down')) : Promise.resolve()
    },
  })
  const reference = { own: {}, posted: {} }
  put(taskWith({ id: 1 }))
  await soon('the card', () => told.length === 1)
  assert.deepEqual([ids.length, new Set(ids).size], [3, 1])
  for (const [index, more] of [
    { id: 2 },
    { id: 1, act: 'update', reference, version: 'v2' },
    { id: 1, act: 'update', reference, version: 'v3' },
    { id: 1, act: 'remind', reference, reminder: 1 },
    { id: 1, act: 'remind', reference, reminder: 2 },
  ].entries()) {
    put(taskWith(more as Partial<Parameters<typeof taskWith>[0]>))
    await soon('the next', () => told.length === index + 2)
  }
  assert.equal(new Set(ids).size, 6)
})

test('a card that cannot be shown now keeps no other waiting; one that never can be is noted so, and not tried again', async (t) => {
  let isDown = true
  const { put, told, sent, board } = open(t, {
    send: ({ address }) => {
      if (address === 'gone') return Promise.reject(new SendFailure('never', 'no such place'))
      return address === 'down' && isDown ? Promise.reject(new SendFailure('later', 'busy')) : Promise.resolve()
    },
  })
  const places = ['down', 'gone', ...Array.from({ length: limits.cardLanes + 4 }, (_, index) => `fine ${index}`)]
  put(...places.map((address, index) => taskWith({ id: index + 1, address })))
  await soon('the others', () => told.length === places.length - 1)
  assert.deepEqual(
    told.filter(({ failed }) => failed).map(({ id, reference }) => [id, reference]),
    [[2, undefined]],
  )
  isDown = false
  board.wake()
  await soon('the last one', () => told.length === places.length)
  assert.equal(new Set(sent.map(({ address }) => address)).size, places.length - 1)
})

test('a card that stands is noted again and again while the gateway is away, and not shown twice', async (t) => {
  const { put, told, sent, state } = open(t)
  let failing = 3
  state.carded = () => ((failing -= 1) >= 0 ? Promise.reject(new ServiceError('unavailable')) : Promise.resolve())
  put(taskWith())
  await soon('the note', () => told.length === 1)
  assert.equal(sent.length, 1)
})

test('a card that stands, of which the gateway does not know, is shown again under the same id', async (t) => {
  const { put, told, sent, state } = open(t)
  let failing = 1
  state.carded = () => ((failing -= 1) >= 0 ? Promise.reject(new Error('the gateway is away')) : Promise.resolve())
  put(taskWith())
  await soon('the note', () => told.length === 1)
  assert.deepEqual([sent.length, new Set(sent.map(({ id }) => id)).size], [2, 1])
})

test('a pause that the service asks for holds everything of that channel; one of a place holds that alone', async (t) => {
  const held: unknown[] = []
  t.mock.method(Pacer.prototype, 'hold', (...given: unknown[]) => void held.push(given))
  const { put, state, told } = open(t)
  const failures = [
    new SendFailure('later', 'too much', { after: 7 }),
    new SendFailure('later', 'too much', { after: 9, everywhere: true }),
  ]
  state.send = () => {
    const failure = failures.shift()
    return failure === undefined ? Promise.resolve() : Promise.reject(failure)
  }
  put(taskWith())
  await soon('the card', () => told.length === 1)
  assert.deepEqual(held, [['webhook', 9]])
})

test('a card whose change was decided before it could be shown is not asked for again', async (t) => {
  const { put, told, tasks, state, board } = open(t, { send: () => Promise.reject(new Error('down')) })
  put(taskWith())
  await soon('an attempt', () => state.asked > 1)
  tasks.clear()
  const asked = state.asked
  board.wakeAll()
  await soon('a look', () => state.asked > asked)
  assert.deepEqual(told, [])
})
