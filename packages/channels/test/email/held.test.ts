// Letters that wait: in their order, beside all others, and not fetched again and again. The clock is the test's.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { HeldMail, orderingKeys } from '../../src/email/mailbox.ts'

const mail = (uid: number) => ({ uid, id: String(uid), size: 1 })

/** `stuck`: where the unit takes nothing now. Each look fetches what is not held, as the mailbox does. */
const open = (t: TestContext) => {
  const clock = { now: 0 }
  t.mock.method(performance, 'now', () => clock.now)
  // Without jitter: each rest is as long as it may be.
  t.mock.method(Math, 'random', () => 1)
  const held = new HeldMail()
  const stuck = new Set<string>()
  const there = new Map<number, string>()
  const taken: number[] = []
  const look = (): { fetched: number[]; rest: number } => {
    const mails = [...there.keys()].map(mail)
    const fetched: number[] = []
    held.begin(mails)
    for (const one of mails) {
      if (held.isHeld(one)) continue
      fetched.push(one.uid)
      const place = there.get(one.uid) ?? assert.fail()
      if (held.isBehind([place]) || stuck.has(place)) held.hold(one, [place])
      else {
        there.delete(one.uid)
        taken.push(one.uid)
      }
    }
    return { fetched, rest: held.end() }
  }
  return { clock, stuck, there, taken, look }
}

test('what comes later in the same conversation waits, all else does not', (t) => {
  const { stuck, there, taken, look } = open(t)
  stuck.add('a')
  for (const [uid, place] of ['a', 'b', 'a', 'c'].entries()) there.set(uid, place)
  assert.deepEqual(look().fetched, [0, 1, 2, 3])
  assert.deepEqual(taken, [1, 3])
  stuck.clear()
  there.set(4, 'a')
  look()
  assert.deepEqual(taken, [1, 3], 'one that came later went before')
})

test('no arrival has what waits fetched again; when it is time the first one of each conversation is, and then the others', (t) => {
  const { clock, stuck, there, taken, look } = open(t)
  stuck.add('a').add('b')
  for (const [uid, place] of ['a', 'a', 'b', 'b'].entries()) there.set(uid, place)
  let { rest } = look()
  for (const wanted of [1, 2, 4, 8, 16, 32, 60, 60]) {
    assert.equal(rest, wanted * limits.channelRetryFirst)
    clock.now += rest - 1
    there.set(clock.now, 'c')
    assert.deepEqual(look(), { fetched: [clock.now], rest: 1 })
    clock.now += 1
    const again = look()
    assert.deepEqual(again.fetched, [0, 2])
    rest = again.rest
  }
  stuck.clear()
  clock.now += rest
  assert.deepEqual(look(), { fetched: [0, 1, 2, 3], rest: limits.emailPoll })
  assert.deepEqual(taken.slice(-4), [0, 1, 2, 3])
})

test('after everything was taken the next trouble rests as the first one did', (t) => {
  const { clock, stuck, there, look } = open(t)
  stuck.add('a')
  there.set(0, 'a')
  clock.now += look().rest
  clock.now += look().rest
  stuck.clear()
  assert.equal(look().rest, limits.emailPoll)
  stuck.add('a')
  there.set(1, 'a')
  assert.equal(look().rest, limits.channelRetryFirst)
})

test('a look that lasts until it is time puts nothing off', (t) => {
  const { clock, stuck, there, look } = open(t)
  stuck.add('a')
  there.set(0, 'a')
  const { rest } = look()
  stuck.clear()
  const real = performance.now
  let asked = 0
  // The time comes while it looks.
  t.mock.method(performance, 'now', () => (asked++ === 0 ? real() : real() + rest))
  assert.deepEqual(look(), { fetched: [], rest: 0 })
  clock.now += rest
  assert.deepEqual(look().fetched, [0])
})

test('while the conversation of a letter is not known nobody overtakes it in its thread, nor its writer anywhere', () => {
  const held = new HeldMail()
  const [ann, bob] = ['ann@example.org', 'bob@example.org']
  const of = (user: string, thread: string | undefined, address = 'agents@example.org'): string[] => orderingKeys({ user, address, thread })
  held.hold(mail(0), of(ann, 't'))
  for (const behind of [of(bob, 't'), of(ann, 'u'), of(ann, undefined)]) assert.ok(held.isBehind(behind), behind.join())
  for (const free of [of(bob, 'u'), of(bob, undefined), of(bob, 't', 'others@example.org')]) assert.ok(!held.isBehind(free), free.join())
})
