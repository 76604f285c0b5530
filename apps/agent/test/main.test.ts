// The agent as a process: what it answers, and what it survives.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openRoom, timeout } from './fixtures/agent.ts'

describe('the agent', timeout, () => {
  it('echoes a text, under an id made of that of the message, and acknowledges it', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    start()
    const id = host.deliver('hello')
    assert.equal(await host.replyTo(id), 'echo: hello')
    assert.deepEqual(host.replies, [{ id: `r-${id}-1`, text: 'echo: hello', inReplyTo: id }])
  })

  it('answers messages in their order', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    const ids = ['one', 'two', 'three'].map((text) => host.deliver(text))
    start()
    await host.replyTo(ids[2] ?? '')
    assert.deepEqual(
      host.replies.map(({ text }) => text),
      ['echo: one', 'echo: two', 'echo: three'],
    )
  })

  it('acknowledges a message of the system without a reply', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    start()
    assert.equal(await host.replyTo(host.deliver('your change was approved', 'system')), '(no reply)')
  })

  it('cuts a reply that is longer than a message may be', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    start()
    const reply = await host.replyTo(host.deliver('é'.repeat(200_000)))
    assert.ok(Buffer.byteLength(reply) <= 256 * 1024)
    assert.match(reply, /é\n\[truncated: the answer was longer than 256 KiB\]$/)
  })

  it('drops a reply that the host will never take, and goes on', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    host.respondToReply = ({ body }) =>
      JSON.stringify(body).includes('first') ? { status: 422, body: { detail: 'no' } } : { status: 202, body: {} }
    start()
    assert.equal(await host.replyTo(host.deliver('first')), '(no reply)')
    assert.equal(await host.replyTo(host.deliver('second')), 'echo: second')
  })

  it('waits for a session socket that is not there yet, and comes back to one that went away', async (t) => {
    const { host, start } = await openRoom(t)
    start()
    const first = host.deliver('before')
    await host.serveSession()
    assert.equal(await host.replyTo(first), 'echo: before')
    await host.stopSession()
    await host.serveSession()
    assert.equal(await host.replyTo(host.deliver('after')), 'echo: after')
  })

  it('repeats a reply that the host was too busy to take', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    let refusals = 0
    host.respondToReply = () => (refusals++ < 2 ? { status: 503, body: { code: 'unavailable' } } : { status: 202, body: {} })
    start()
    assert.equal(await host.replyTo(host.deliver('hello')), 'echo: hello')
    assert.equal(host.replies.length, 1)
  })

  it('ends cleanly on SIGTERM', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    const agent = start()
    await host.replyTo(host.deliver('hello'))
    agent.process.kill('SIGTERM')
    assert.equal(await agent.exited, 0)
    assert.equal(agent.stderr(), '')
  })

  it('ends with 78 where a group wants a model and names none', async (t) => {
    const { host, start } = await openRoom(t)
    host.agent = 'model'
    await host.serveSession()
    const agent = start()
    assert.equal(await agent.exited, 78)
    assert.match(agent.stderr(), /unsupported agent: model without a model/)
  })
})
