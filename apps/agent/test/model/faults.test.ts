// What a provider can do wrong: the agent says what happened, asks nothing twice, and answers the next message.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { timeout } from '../fixtures/agent.ts'
import { echo, openModelRoom, type ProviderName, refusals } from '../fixtures/model.ts'

/** What takes its time is tried in one format alone in the fast profile. */
const full = process.env['GATEHOUSE_PROFILE'] === 'full'

interface Case {
  readonly fault: string
  readonly says: RegExp
  /** Requests that reach the provider; one, but where it said that it did nothing. */
  readonly asked?: number
}

const cases: readonly Case[] = [
  { fault: 'fault status 429 retry-after 0 times 1\nsay Well.', says: /^Well\.$/, asked: 2 },
  { fault: 'fault status 429 retry-after 3600', says: /too many requests \(429.*retry after 3600 s\. Write to me again/ },
  { fault: 'fault status 429 retry-after 0', says: /too many requests \(429/, asked: 4 },
  { fault: 'fault status 500', says: /^I could not answer: the provider failed \(500/ },
  { fault: 'fault status 529', says: /the provider is overloaded \(529/ },
  { fault: 'fault status 401', says: /rejected the credentials \(401/ },
  { fault: 'fault status 403', says: /the request was not permitted \(403/ },
  { fault: 'fault reset', says: /^I could not answer: / },
  { fault: 'fault reset after 6\nsay some words of an answer', says: /the connection broke during the answer/ },
  { fault: 'fault end after 5\nsay some words of an answer', says: /\[I could not finish my answer: |^I could not answer: / },
  { fault: 'fault malformed after 6\nsay some words of an answer', says: /I could not (finish my )?answer: / },
  { fault: 'fault error-event after 6\nsay some words of an answer', says: /I could not (finish my )?answer: / },
  { fault: 'fault media-type', says: /the answer is not an event stream but text\/html/ },
  { fault: 'fault endless after 4\nsay some words', says: /the answer was too long/ },
  { fault: 'stop length\nsay some words', says: /some words\n\n\[The answer was cut off/ },
  { fault: 'stop refusal', says: /blocked the answer|gave an empty answer/ },
]

const formats = ['anthropic', 'openai', 'gemini', 'compatible'] as const satisfies readonly ProviderName[]

describe('faults of a provider', timeout, () => {
  for (const name of formats) {
    it(`are survived and said in the format of ${name}`, async (t) => {
      const room = await openModelRoom(t, name)
      const { host, start, provider } = room
      const agent = start()
      for (const { fault, says, asked = 1 } of cases) {
        if (!full && name !== 'anthropic' && /endless|retry-after 0$/.test(fault)) continue
        const before = provider.requests.length
        const reply = await host.replyTo(host.deliver(fault))
        assert.match(reply, says, fault)
        assert.ok(reply.length < 1000 || fault.includes('endless'), fault)
        assert.equal(provider.requests.length - before, asked, fault)
        assert.doesNotMatch(reply, /on-the-host|canary/)
      }
      assert.equal(await host.replyTo(host.deliver('say Still here.')), 'Still here.')
      assert.deepEqual(refusals(room), [])
      assert.doesNotMatch(agent.stderr(), /canary|fault status/)
    })
  }

  for (const name of full ? formats : (['anthropic'] as const)) {
    it(`that fall silent in the format of ${name} are not waited for without an end`, async (t) => {
      const room = await openModelRoom(t, name)
      const { host, start, provider } = room
      const agent = start({ GATEHOUSE_MODEL_IDLE: '1500' })
      for (const fault of ['fault silence', 'fault silence after 6\nsay some words of an answer'])
        assert.match(await host.replyTo(host.deliver(fault)), /the model sent no data for 2 s/)
      assert.equal(provider.requests.length, 2)
      agent.process.kill('SIGTERM')
      assert.equal(await agent.exited, 0)
      start()
      assert.equal(await host.replyTo(host.deliver('say Still here.')), 'Still here.')
      assert.deepEqual(refusals(room), [])
    })
  }

  it('in the middle of a dialogue leave what was done done', async (t) => {
    const room = await openModelRoom(t)
    const { host, start } = room
    host.listed = [echo]
    host.respondToCall = () => ({ status: 200, body: { content: [{ type: 'text', text: 'hi' }], isError: false } })
    start()
    const reply = await host.replyTo(host.deliver('call sample__echo {"text":"a"}\n---\nfault status 500'))
    assert.match(reply, /the provider failed .*The actions that I completed before stay in effect/)
    assert.equal(await host.replyTo(host.deliver('say On.')), 'On.')
    assert.equal(host.toolCalls.length, 1)
    assert.deepEqual(refusals(room), [])
  })

  it('of one that says the dialogue is too long make the agent leave out old words and ask again', async (t) => {
    const room = await openModelRoom(t)
    const { host, start, provider } = room
    start()
    for (let turn = 0; turn < 4; turn += 1) await host.replyTo(host.deliver('fill 20000'))
    assert.equal(await host.replyTo(host.deliver('fault status 413 times 2\nsay It fits.')), 'It fits.')
    const sizes = provider.requests.slice(-3).map(({ body }) => JSON.stringify(body).length)
    assert.ok((sizes[2] ?? 0) < (sizes[0] ?? 0) / 2, sizes.join(' '))
    assert.deepEqual(refusals(room), [])
  })

  it('that is not there is waited for, and said when it stays away', async (t) => {
    const room = await openModelRoom(t)
    const { host, start, closeWay, openWay, provider } = room
    const agent = start({ GATEHOUSE_MODEL_ABSENT: '30000' })
    assert.equal(await host.replyTo(host.deliver('say One.')), 'One.')
    await closeWay()
    const second = host.deliver('say Two.')
    await openWay()
    assert.equal(await host.replyTo(second), 'Two.')
    agent.process.kill('SIGTERM')
    assert.equal(await agent.exited, 0)
    await closeWay()
    start({ GATEHOUSE_MODEL_ABSENT: '500' })
    assert.match(await host.replyTo(host.deliver('say Three.')), /the model cannot be reached/)
    await openWay()
    assert.equal(await host.replyTo(host.deliver('say Four.')), 'Four.')
    assert.equal(provider.requests.length, 3)
  })

  it('that never answers does not hold up the end of the agent, and the message is answered after the next start', async (t) => {
    const room = await openModelRoom(t, 'anthropic', 'when ask\nfault silence after 3 times 1\nsay Here I am.')
    const { host, start, provider } = room
    const agent = start()
    const id = host.deliver('ask')
    while (provider.requests.length === 0) await pause(20)
    agent.process.kill('SIGTERM')
    assert.equal(await agent.exited, 0)
    start()
    assert.equal(await host.replyTo(id), 'Here I am.')
    assert.deepEqual(refusals(room), [])
  })
})
