// A place where nothing can be taken: others wait for it a minute, not a minute for each of its messages. The clock is the test's.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { clockOf } from '../fixtures/clock.ts'
import { hearTelegram, keptWith, until } from '../fixtures/listener.ts'
import { startTelegram } from '@gatehouse/testkit/telegram-server'

const open = async (t: TestContext) => {
  const rests: { channelRetryFirst: number } = limits
  t.mock.property(rests, 'channelRetryFirst', 5)
  const clock = clockOf(t)
  const server = await startTelegram()
  const options = hearTelegram(server)
  t.after(async () => {
    await options.stop()
    await server.close()
  })
  /** Said while nothing can be taken, for this reason. */
  const say = async (why: 'full' | 'away', texts: string[]): Promise<void> => {
    options.stuck.as = why
    for (const text of texts) server.say({ text })
    await tries(texts[0] ?? '')
  }
  /** Nothing but this is tried, again and again. All were brought before the last time. */
  const tries = async (text: string): Promise<void> => {
    const from = options.brought.length
    await until(`tries of ${text}`, () => options.brought.length >= from + 3)
    assert.deepEqual([...new Set(options.brought.slice(from).map((one) => one.text))], [text])
  }
  const letGo = (): number => options.lines.filter((line) => line.includes('message dropped')).length
  return { ...options, server, clock, say, tries, letGo }
}

test('messages that waited a minute for a full conversation are dropped, and later ones are accepted', async (t) => {
  const { server, clock, say, stuck, kept, letGo, ...options } = await open(t)
  await say('full', ['first', 'second', 'third'])
  clock.ahead += limits.channelHold + 1
  await until('all to be dropped', () => letGo() === 3)
  delete stuck.as
  server.say({ text: 'fourth' })
  await keptWith({ kept, ...options }, 'fourth')
  assert.equal(kept.length, 1)
})

test('while a part of the unit is away no time is counted, whatever was waited for before', async (t) => {
  const { clock, say, tries, stuck, outcomes, kept, letGo } = await open(t)
  await say('full', ['first', 'second', 'third'])
  stuck.as = 'away'
  clock.ahead += limits.channelHold + 1
  await tries('first')
  outcomes.push('accepted', 'full', 'full')
  delete stuck.as
  await until('all of them', () => kept.length === 3)
  assert.deepEqual([kept.map(({ text }) => text), letGo()], [['first', 'second', 'third'], 0])
})
