// The same request twice is one message, whatever happens in between.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { IdempotencyIndex } from '../../src/state/idempotency-index.ts'
import { openUnit } from '../fixtures/unit.ts'

const request = (key = 'k', body = 'a', principal = 'admin') => ({ principal, key, body: body.repeat(64) })

const at = (t: TestContext, later: number): void => {
  const now = Date.now() + later
  t.mock.timers.enable({ apis: ['Date'], now })
}

describe('a request with an idempotency key', { timeout: 300_000 }, () => {
  it('leaves one message and gets the first answer again', async (t) => {
    const unit = await openUnit(t)
    const first = await unit.send('hello', undefined, request())
    assert.equal(first.replayed, false)
    assert.deepEqual(await unit.send('hello', undefined, request()), { ...first, replayed: true })
    await unit.replyTo(first.messageId)
    assert.deepEqual(await unit.texts(), ['hello', 'echo: hello'])
  })

  it('is refused when the key was that of another request, in this conversation or another', async (t) => {
    const unit = await openUnit(t)
    await unit.send('hello', 'a', request())
    for (const conversation of ['a', 'b']) {
      await assert.rejects(unit.send('other', conversation, request('k', 'b')), { code: 'conflict', hint: /new key/ })
    }
    assert.deepEqual(
      (await unit.messages()).filter(({ from }) => from === 'user').map(({ text }) => text),
      ['hello'],
    )
  })

  it('is one message even when both come at the same moment', async (t) => {
    const unit = await openUnit(t)
    const answers = await Promise.all(Array.from({ length: 8 }, () => unit.send('hello', undefined, request())))
    assert.equal(new Set(answers.map(({ messageId }) => messageId)).size, 1)
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1)
    const refused = await Promise.allSettled(['a', 'b'].map((letter) => unit.send('hello', letter, request('other', letter))))
    assert.deepEqual(refused.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  })

  it('is known by its key and its principal together', async (t) => {
    const unit = await openUnit(t)
    const sent = [request(), request('l'), request('k', 'b', 'somebody')]
    for (const one of sent) assert.equal((await unit.send('hello', undefined, one)).replayed, false)
  })

  it('is known after a restart, and after its session was terminated', async (t) => {
    const unit = await openUnit(t)
    const first = await unit.send('hello', undefined, request())
    await unit.replyTo(first.messageId)
    await unit.stop()
    await unit.start()
    assert.deepEqual(await unit.send('hello', undefined, request()), { ...first, replayed: true })
    unit.gateway.close(first.sessionId)
    assert.deepEqual(await unit.send('hello', undefined, request()), { ...first, replayed: true })
    await assert.rejects(unit.send('hello', undefined, request('k', 'b')), { code: 'conflict' })
  })

  it('is a new one after a day', async (t) => {
    const unit = await openUnit(t)
    const first = await unit.send('hello', undefined, request())
    const elapsed = performance.now.bind(performance)
    const pass = (time: number): void => {
      t.mock.timers.reset()
      t.mock.method(performance, 'now', () => elapsed() + time)
      at(t, time)
    }
    pass(limits.idempotencyTime - 10_000)
    assert.equal((await unit.send('hello', undefined, request())).replayed, true)
    pass(limits.idempotencyTime + 10_000)
    const second = await unit.send('hello', undefined, request('k', 'b'))
    assert.deepEqual([second.replayed, second.messageId === first.messageId], [false, false])
    t.mock.timers.reset()
  })

  it('that was refused leaves its key free', async (t) => {
    const unit = await openUnit(t)
    unit.gateway.down = true
    await assert.rejects(unit.send('hello', undefined, request()), { code: 'unavailable' })
    unit.gateway.down = false
    assert.equal((await unit.send('hello', undefined, request('k', 'b'))).replayed, false)
  })

  it('is known in its own conversation even when the memory across conversations is full', async (t) => {
    const repeats = new IdempotencyIndex({ people: { most: 1 }, channel: { most: 1 } })
    for (const key of ['a', 'b']) repeats.keep(request(key), `ses_${key.repeat(13)}` as never)
    assert.deepEqual([repeats.placeOf(request('a')), repeats.placeOf(request('b'))], [undefined, 'ses_bbbbbbbbbbbbb'])
    const unit = await openUnit(t)
    const first = await unit.send('hello', undefined, request())
    const { placeOf } = IdempotencyIndex.prototype
    t.mock.method(IdempotencyIndex.prototype, 'placeOf', function (this: IdempotencyIndex, ...args: Parameters<typeof placeOf>) {
      placeOf.apply(this, args)
      return undefined
    })
    assert.deepEqual(await unit.send('hello', undefined, request()), { ...first, replayed: true })
  })
})
