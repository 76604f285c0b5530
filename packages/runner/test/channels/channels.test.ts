// Messages of channels in the queues: taken once, handed out until they are taken, over the death of anybody.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Params, runnerChannels } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { QueuePool } from '../../src/queue/pool.ts'
import { openUnit, type Unit } from '../fixtures/unit.ts'

type Edge = typeof runnerChannels
const context = { requestId: 'test', traceparent: undefined, signal: new AbortController().signal }

const message = (text: string, more: Partial<Params<Edge, 'receive'>> = {}): Params<Edge, 'receive'> => ({
  channel: 'slack',
  id: text,
  agentGroupID: 'dev-agent' as never,
  conversationId: 'slack:C1' as never,
  author: 'U1',
  text,
  reference: { address: 'C1', own: { answers: text } },
  ...more,
})

const receive = async (unit: Unit, ...rest: Parameters<typeof message>) => unit.runner.channels.receive(message(...rest), context)
const outbox = async (unit: Unit, skip: string[] = []) =>
  (await unit.runner.channels.outbox({ channels: ['slack', 'email'], limit: 50, skip: skip as never }, context)).items
const letters = (unit: Unit) => unit.runner.channels.letters({ channels: ['slack'], limit: 50 }, context)

const answered = async (t: TestContext, ...texts: string[]): Promise<Unit> => {
  const unit = await openUnit(t)
  for (const text of texts) await unit.replyTo((await receive(unit, text)).messageId)
  return unit
}

describe('channels', { timeout: 300_000 }, () => {
  it('may deliver a message repeatedly, and it is stored once, even after a restart and in another conversation', async (t) => {
    const unit = await answered(t, 'hello')
    const first = await receive(unit, 'hello')
    assert.equal(first.known, true)
    await unit.stop()
    await unit.start()
    assert.deepEqual(await receive(unit, 'hello'), first)
    assert.deepEqual(await receive(unit, 'hello', { conversationId: 'slack:C2' as never }), first)
    assert.equal((await receive(unit, 'hello', { channel: 'email', conversationId: 'email:x' as never })).known, false)
    const said = (await unit.messages()).filter(({ from }) => from === 'user')
    assert.deepEqual(
      said.map(({ text, author }) => [text, author]),
      [
        ['hello', 'U1'],
        ['hello', 'U1'],
      ],
    )
  })

  it('bring it twice at one moment, and it is one', async (t) => {
    const unit = await openUnit(t)
    const taken = await Promise.all(Array.from({ length: 8 }, () => receive(unit, 'hello')))
    assert.equal(taken.filter(({ known }) => !known).length, 1)
  })

  it('are handed each answer in order with what it answers, until they say that they have it', async (t) => {
    const unit = await answered(t, 'one', 'two')
    const [first, ...others] = await outbox(unit)
    assert.ok(first !== undefined && others.length === 0)
    assert.deepEqual([first.text, first.parts, first.reference], ['echo: one', 0, { address: 'C1', own: { answers: 'one' } }])
    const at = { session: first.session, seq: first.seq }
    await unit.runner.channels.delivered({ ...at, parts: 2 }, context)
    await unit.stop()
    await unit.start()
    assert.deepEqual(
      (await outbox(unit)).map(({ text, parts }) => [text, parts]),
      [['echo: one', 2]],
    )
    const { next } = await unit.runner.channels.delivered(at, context)
    assert.deepEqual([next?.text, next?.parts, next?.reference.own], ['echo: two', 0, { answers: 'two' }])
    assert.deepEqual(await outbox(unit, [first.session]), [])
    // A word that comes late brings nothing back.
    await unit.runner.channels.delivered({ ...at, parts: 5 }, context)
    assert.equal((await outbox(unit))[0]?.parts, 0)
    assert.ok(next !== undefined)
    assert.deepEqual(await unit.runner.channels.delivered({ session: next.session, seq: next.seq }, context), {})
    assert.deepEqual(await outbox(unit), [])
  })

  it('bury what cannot be delivered: it stays in its conversation, is counted, and is not handed out again', async (t) => {
    const unit = await answered(t, 'one', 'two')
    const [first] = await outbox(unit)
    assert.ok(first !== undefined)
    const at = { session: first.session, seq: first.seq, reason: 'gone' }
    for (const _ of [1, 2]) assert.equal((await unit.runner.channels.buried(at, context)).next?.text, 'echo: two')
    await unit.stop()
    await unit.start()
    const { counts, letters: dead } = await letters(unit)
    assert.deepEqual(counts, [{ channel: 'slack', waiting: 1, dead: 1 }])
    assert.deepEqual(
      dead.map(({ messageId, reason, conversationId }) => [messageId, reason, conversationId]),
      [[first.id, 'gone', 'slack:C1']],
    )
    assert.ok((await unit.texts()).includes('echo: one'))
  })

  it('are counted and their dead listed without a queue being opened, as they are after a restart and without what was purged', async (t) => {
    const unit = await answered(t, 'one', 'two')
    const other = { conversationId: 'slack:C2' as never }
    await unit.replyTo((await receive(unit, 'three', other)).messageId)
    const all = await outbox(unit)
    for (const { session, seq } of all) await unit.runner.channels.buried({ session, seq, reason: 'gone' }, context)
    const use = t.mock.method(QueuePool.prototype, 'use')
    const look = async () => {
      const before = use.mock.callCount()
      const { counts, letters: dead } = await letters(unit)
      assert.equal(use.mock.callCount(), before)
      return [counts, dead.map(({ conversationId, reason }) => `${conversationId} ${reason}`).toSorted()]
    }
    const found = [[{ channel: 'slack', waiting: 1, dead: 2 }], ['slack:C1 gone', 'slack:C2 gone']]
    assert.deepEqual(await look(), found)
    await unit.stop()
    await unit.start()
    assert.deepEqual(await look(), found)
    const ended = all.find(({ conversationId }) => conversationId === 'slack:C2')
    assert.ok(ended !== undefined)
    unit.gateway.close(ended.session)
    await unit.purge(ended.session)
    assert.deepEqual(await look(), [[{ channel: 'slack', waiting: 1, dead: 1 }], ['slack:C1 gone']])
  })

  it('forget that a message was not delivered along with the message, on disk and in mind', async (t) => {
    const unit = await answered(t, 'one', 'two')
    const [first] = await outbox(unit)
    assert.ok(first !== undefined)
    const { next } = await unit.runner.channels.buried({ session: first.session, seq: first.seq, reason: 'gone' }, context)
    // The newest message stays, and so does what became of it.
    assert.ok(next !== undefined)
    await unit.runner.channels.buried({ session: next.session, seq: next.seq, reason: 'gone' }, context)
    await unit.stop()
    const kept = async () => {
      const { counts, letters: dead } = await letters(unit)
      return [counts[0]?.dead, dead.map(({ messageId }) => messageId)]
    }
    await unit.start({ chatRetention: 1 })
    await waitFor(async () => (await kept())[0] === 1 || undefined, { what: 'an old letter to be forgotten', deadline: 120_000 })
    assert.deepEqual(await kept(), [1, [next.id]])
    await unit.stop()
    await unit.start()
    assert.deepEqual(await kept(), [1, [next.id]])
  })

  it('hear that something may be there, and nothing of conversations that are no channel’s', async (t) => {
    const unit = await openUnit(t)
    let told = 0
    unit.runner.onOutbox(() => (told += 1))
    await unit.replyTo((await unit.send('of the console')).messageId)
    assert.deepEqual([told, await outbox(unit)], [0, []])
    await unit.replyTo((await receive(unit, 'of a channel')).messageId)
    assert.deepEqual([told, (await outbox(unit)).length], [1, 1])
  })
})
