// A place where nothing can be taken: others wait for it a minute, not a minute for each of its messages. The clock is the test's.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { clockOf } from '../fixtures/clock.ts'
import { hearTelegram, keptWith, until } from '../fixtures/hearing.ts'
import { startTelegram } from '@gatehouse/testkit/telegram-server'

const open = async (t: TestContext) => {
  const rests: { channelRetryFirst: number } = limits
  t.mock.property(rests, 'channelRetryFirst', 5)
  const clock = clockOf(t)
  const server = await startTelegram()
  const hearing = hearTelegram(server)
  t.after(async () => {
    await hearing.stop()
    await server.close()
  })
  /** Said while nothing can be taken, for this reason. */
  const say = async (why: 'full' | 'away', texts: string[]): Promise<void> => {
    hearing.stuck.as = why
    for (const text of texts) server.say({ text })
    await tries(texts[0] ?? '')
  }
  /** Nothing but this is tried, again and again. All were brought before the last time. */
  const tries = async (text: string): Promise<void> => {
    const from = hearing.brought.length
    await until(`tries of ${text}`, () => hearing.brought.length >= from + 3)
    assert.deepEqual([...new Set(hearing.brought.slice(from).map((one) => one.text))], [text])
  }
  const letGo = (): number => hearing.lines.filter((line) => line.includes('let go of')).length
  return { ...hearing, server, clock, say, tries, letGo }
}

test('after a minute all that waited in a full conversation is let go of, and what comes next is heard', async (t) => {
  const { server, clock, say, stuck, kept, letGo, ...hearing } = await open(t)
  await say('full', ['first', 'second', 'third'])
  clock.ahead += limits.channelHold + 1
  await until('all to be let go of', () => letGo() === 3)
  delete stuck.as
  server.say({ text: 'fourth' })
  await keptWith({ kept, ...hearing }, 'fourth')
  assert.equal(kept.length, 1)
})

test('while a part of the unit is away no time is counted, whatever was waited for before', async (t) => {
  const { clock, say, tries, stuck, outcomes, kept, letGo } = await open(t)
  await say('full', ['first', 'second', 'third'])
  stuck.as = 'away'
  clock.ahead += limits.channelHold + 1
  await tries('first')
  outcomes.push('taken', 'full', 'full')
  delete stuck.as
  await until('all of them', () => kept.length === 3)
  assert.deepEqual([kept.map(({ text }) => text), letGo()], [['first', 'second', 'third'], 0])
})
