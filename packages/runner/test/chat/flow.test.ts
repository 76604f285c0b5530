// A message's way: accepted, delivered, answered, read back.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { noDriver, openUnit } from '../fixtures/unit.ts'

describe('chat', { timeout: 300_000 }, () => {
  it('answers a message by an agent in a process of its own', async (t) => {
    const unit = await openUnit(t)
    const sent = await unit.send('hello')
    assert.equal(sent.conversationId, 'console')
    assert.equal(await unit.replyTo(sent.messageId), 'echo: hello')
    const [question, answer] = await unit.messages()
    assert.deepEqual(
      { ...question, at: '' },
      { id: sent.messageId, conversationId: 'console', seq: 1, from: 'user', text: 'hello', at: '' },
    )
    assert.deepEqual(
      { ...answer, at: '' },
      {
        id: `r-${sent.messageId}-1`,
        conversationId: 'console',
        seq: 2,
        from: 'agent',
        text: 'echo: hello',
        at: '',
        inReplyTo: sent.messageId,
      },
    )
  })

  it('answers every message once, in order, by one sandbox that stays warm', async (t) => {
    const unit = await openUnit(t)
    const sent = await Promise.all(Array.from({ length: 20 }, (_, index) => unit.send(`message ${index}`)))
    for (const { messageId } of sent) await unit.replyTo(messageId)
    const session = await waitFor(async () => (await unit.session())?.waiting === 0 && (await unit.session()), {
      what: 'nothing that waits',
    })
    assert.equal(session.launches, 1)
    const all = await unit.messages()
    assert.deepEqual(
      all.map(({ seq }) => seq),
      Array.from({ length: 40 }, (_, index) => index + 1),
    )
    const replies = all.filter(({ from }) => from === 'agent').map(({ text }) => text)
    assert.deepEqual(
      replies,
      all.filter(({ from }) => from === 'user').map(({ text }) => `echo: ${text}`),
    )
  })

  it('keeps a reply that is sent twice as one message', async (t) => {
    const unit = await openUnit(t)
    assert.equal(await unit.chat('twice'), 'once')
    assert.equal(await unit.chat('again'), 'echo: again')
    assert.deepEqual(await unit.texts(), ['twice', 'once', 'again', 'echo: again'])
  })

  it('numbers the messages of a group without gaps across its conversations, each with a sandbox of its own', async (t) => {
    const unit = await openUnit(t)
    const sent = await Promise.all(['a', 'b', 'a', 'b'].map((conversation, index) => unit.send(`text ${index}`, conversation)))
    for (const { messageId } of sent) await unit.replyTo(messageId)
    const all = await unit.messages()
    assert.deepEqual(
      all.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7, 8],
    )
    assert.equal(unit.gateway.sessions.size, 2)
    const one = await unit.messages({ conversation: 'a' as never })
    assert.deepEqual(new Set(one.map(({ conversationId }) => conversationId)), new Set(['a']))
    assert.equal(one.length, 4)
  })

  it('goes on with the numbers after a restart', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('before')
    await unit.stop()
    await unit.start()
    await unit.chat('after')
    assert.deepEqual(
      (await unit.messages()).map(({ seq, text }) => [seq, text]),
      [
        [1, 'before'],
        [2, 'echo: before'],
        [3, 'after'],
        [4, 'echo: after'],
      ],
    )
  })

  it('reads the newest messages, and with `after` what follows it', async (t) => {
    const unit = await openUnit(t)
    for (const text of ['one', 'two', 'three']) await unit.chat(text)
    const seqs = async (query: { limit: number; after?: number }) => (await unit.messages(query)).map(({ seq }) => seq)
    assert.deepEqual(await seqs({ limit: 2 }), [5, 6])
    assert.deepEqual(await seqs({ limit: 2, after: 1 }), [2, 3])
    assert.deepEqual(await seqs({ limit: 200, after: 6 }), [])
  })

  it('answers with as many large messages as one frame holds, and never with none', async (t) => {
    const unit = await openUnit(t, { driver: { refused: '' }, sandbox: 'auto' })
    await unit.stop()
    await unit.start({ driver: await noDriver('/dev/null'), times: { restartFirst: 60_000, restartMost: 60_000 } })
    const text = 'x'.repeat(256 * 1024)
    for (let count = 0; count < 20; count += 1) await unit.send(text)
    const first = await unit.messages({ after: 0 })
    assert.ok(first.length > 0 && first.length < 20, `got ${first.length}`)
    assert.equal(first[0]?.seq, 1)
    const newest = await unit.messages()
    assert.ok(newest.length < 20)
    assert.equal(newest.at(-1)?.seq, 20)
  })

  it('refuses a group that the gateway does not know', async (t) => {
    const unit = await openUnit(t)
    await assert.rejects(
      () => unit.runner.controlPlane.send({ agentGroupID: 'nobody' as never, text: 'hi' }, {} as never) as Promise<unknown>,
      { code: 'not-found' },
    )
  })

  it('counts each reply that is stored as delivered to the console', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('twice')
    const [metric] = (await unit.metrics.json()).filter((one) => 'name' in one && one.name === 'gatehouse_deliveries_total') as {
      values: { value: number; labels: object }[]
    }[]
    assert.deepEqual(
      metric?.values.map(({ value, labels }) => ({ value, labels })),
      [{ value: 1, labels: { channel: 'console', outcome: 'ok' } }],
    )
  })
})
