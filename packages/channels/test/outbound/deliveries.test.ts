// What goes out: in the order of each conversation, again until it is taken, and never beside a freeze or a wiring.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { SendFailure } from '../../src/channel.ts'
import { clockOf, day } from '../fixtures/clock.ts'
import { type Behaviour, createCourier, makeDelivery } from '../fixtures/delivery.ts'

const open = (t: TestContext, behaviour: Behaviour = {}) => {
  const context = createCourier(behaviour)
  t.after(() => context.deliveries.stop())
  return context
}
const soon = (what: string, is: () => boolean) => waitFor(async () => is() || undefined, { what, deadline: 30_000 })

test('each conversation keeps its order, and one that is stuck holds up no other', async (t) => {
  const behaviour: Behaviour = { send: ({ text }) => (text === 'a1' ? Promise.reject(new Error('down')) : Promise.resolve()) }
  const { say, sent } = open(t, behaviour)
  for (const seq of [1, 2, 3]) for (const letter of ['a', 'b', 'c']) say(makeDelivery(letter, seq))
  await soon('the others', () => sent.length === 6)
  assert.ok(sent.every(({ address }) => address !== 'a'))
  delete behaviour.send
  await soon('all', () => sent.length === 9)
  for (const letter of ['a', 'b', 'c'])
    assert.deepEqual(
      sent.filter(({ address }) => address === letter).map(({ text }) => text),
      [1, 2, 3].map((seq) => `${letter}${seq}`),
    )
})

test('what comes while its lane is ending is not forgotten', async (t) => {
  const { say, sent } = open(t)
  for (let seq = 1; seq <= 200; seq += 1) {
    say(makeDelivery('a', seq))
    if (seq % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await soon('all of them', () => sent.length === 200)
})

test('more conversations than lanes are all served', async (t) => {
  const { say, sent } = open(t)
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz234567')
  for (const seq of [1, 2]) for (const letter of letters) say(makeDelivery(letter, seq))
  await soon('all of them', () => sent.length === letters.length * 2)
})

test('a part that was noted as sent is not sent again, and every part keeps its id', async (t) => {
  let failing = true
  const { say, sent } = open(t, {
    length: 10,
    send: ({ part }) => (part === 1 && failing ? Promise.reject(new SendFailure('later', 'busy')) : Promise.resolve()),
  })
  say(makeDelivery('a', 1, { text: 'first part\nsecond one' }))
  await soon('the first part', () => sent.length === 1)
  failing = false
  await soon('the second part', () => sent.length === 2)
  assert.deepEqual(
    sent.map(({ text, part, parts }) => [text, part, parts]),
    [
      ['first part', 0, 2],
      ['second one', 1, 2],
    ],
  )
  assert.equal(new Set(sent.map(({ id }) => id)).size, 2)
})

test('what was sent is noted again and again while the runner is away, and not sent twice', async (t) => {
  let away = 5
  const { say, sent } = open(t, {
    length: 10,
    note: () => ((away -= 1) % 3 === 0 ? Promise.resolve() : Promise.reject(new ServiceError(away % 2 === 0 ? 'unavailable' : 'deadline'))),
  })
  say(makeDelivery('a', 1, { text: 'first part\nsecond one' }))
  say(makeDelivery('a', 2))
  await soon('both', () => sent.some(({ text }) => text === 'a2'))
  assert.deepEqual(
    sent.map(({ text }) => text),
    ['first part', 'second one', 'a2'],
  )
})

test('what the runner does not note for another reason is sent again, under the same id', async (t) => {
  let failing = 2
  const { say, sent } = open(t, { note: () => ((failing -= 1) >= 0 ? Promise.reject(new ServiceError('internal')) : Promise.resolve()) })
  say(makeDelivery('a', 1))
  say(makeDelivery('a', 2))
  await soon('both', () => sent.some(({ text }) => text === 'a2'))
  assert.deepEqual([sent.length, new Set(sent.map(({ id }) => id)).size], [4, 2])
})

test('what can never be delivered becomes a dead letter with its reason, and the next one goes on', async (t) => {
  const { say, sent, buried } = open(t, {
    send: ({ text }) => (text === 'a1' ? Promise.reject(new SendFailure('never', 'gone')) : Promise.resolve()),
  })
  say(makeDelivery('a', 1))
  say(makeDelivery('a', 2, { reference: { nonsense: 1 } }))
  say(makeDelivery('a', 3))
  await soon('the last one', () => sent.length === 1)
  assert.deepEqual(buried, [
    { seq: 1, reason: 'gone' },
    { seq: 2, reason: 'the message has no known destination' },
  ])
})

const old = { at: new Date(Date.now() - 2 * day).toISOString() }
const pause = () => Promise.reject(new SendFailure('later', 'too many', { after: 1 }))

test('a message that was tried for a day is given up', async (t) => {
  const clock = clockOf(t)
  let attempts = 0
  const { say, buried } = open(t, { send: () => ((attempts += 1), pause()) })
  say(makeDelivery('a', 1))
  await soon('some attempts', () => attempts > 2)
  assert.equal(buried.length, 0)
  clock.ahead = day + 1
  await soon('its end', () => buried.length === 1)
  assert.equal(buried[0]?.reason, 'delivery failed for a day')
})

test('however old a message is, it is tried for a day: no trouble of a moment ends what waited for long', async (t) => {
  let attempts = 0
  const { say, sent, buried } = open(t, { send: () => ((attempts += 1) % 3 === 0 ? Promise.resolve() : pause()) })
  for (const seq of [1, 2]) say(makeDelivery('a', seq, old))
  await soon('both', () => sent.length === 2)
  assert.deepEqual([attempts, buried], [6, []])
})

test('a freeze is no time in which a message was tried', async (t) => {
  const clock = clockOf(t)
  let [attempts, verdict, held]: [number, 'allowed' | 'frozen', number] = [0, 'allowed', 0]
  const { say, sent, buried, deliveries, behaviour } = open(t, {
    send: () => ((attempts += 1), pause()),
    verdict: () => ((held += verdict === 'frozen' ? 1 : 0), verdict),
  })
  say(makeDelivery('a', 1))
  await soon('an attempt', () => attempts > 0)
  verdict = 'frozen'
  await soon('the freeze', () => held > 0)
  const before = attempts
  clock.ahead = 2 * day
  verdict = 'allowed'
  await soon('another attempt', () => (deliveries.wakeAll(), attempts > before))
  delete behaviour.send
  await soon('it to go out', () => sent.length === 1)
  assert.deepEqual(buried, [])
})

test('a freeze holds what is said until it is lifted; an address that was taken away ends it', async (t) => {
  let verdict: 'allowed' | 'frozen' | 'not_routed' = 'frozen'
  let asked = 0
  const { say, sent, buried, deliveries } = open(t, {
    verdict: () => {
      asked += 1
      return verdict
    },
  })
  say(makeDelivery('a', 1))
  await soon('the question', () => asked > 0)
  assert.equal(sent.length, 0)
  verdict = 'allowed'
  await soon('it to go out', () => (deliveries.wakeAll(), sent.length === 1))
  verdict = 'not_routed'
  say(makeDelivery('a', 2))
  await soon('its end', () => buried.length === 1)
  assert.equal(sent.length, 1)
})
