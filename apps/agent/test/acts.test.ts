// What the agent does beyond talking: tools and requests for changes, each at most once a message.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openRoom, timeout } from './fixtures/agent.ts'

describe('tools', timeout, () => {
  it('calls the named tool with the given arguments and replies with the text of its result', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    host.respondToCall = () => ({ status: 200, body: { content: [{ type: 'text', text: 'hi' }, { type: 'image' }], isError: false } })
    start()
    assert.equal(await host.replyTo(host.deliver('tool:sample__echo {"text":"hi"}')), 'hi\n[image]')
    assert.deepEqual(host.toolCalls, [{ name: 'sample__echo', arguments: { text: 'hi' } }])
  })

  it('says which gate refused', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    host.respondToCall = () => ({
      status: 200,
      body: { content: [], isError: true, error: { code: 'not-granted', message: 'no grant names sample__echo' } },
    })
    start()
    assert.equal(await host.replyTo(host.deliver('tool:sample__echo {}')), 'refused: no grant names sample__echo (not-granted)')
  })

  it('tells a fault from a refusal, and both from the error of a tool', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    const results = [
      { status: 200, body: { content: [], isError: true, error: { code: 'timeout', message: 'no answer within 60 s' } } },
      { status: 413, body: { title: 'The request is too large', detail: 'expected at most 4 MiB', code: 'too-large' } },
      { status: 200, body: { content: [{ type: 'text', text: 'division by zero' }], isError: true } },
      { status: 200, body: { content: [], structuredContent: { sum: 3 }, isError: false } },
    ]
    host.respondToCall = () => results.shift() ?? 'hang up'
    start()
    const said: string[] = []
    while (results.length > 0) said.push(await host.replyTo(host.deliver('tool:t')))
    assert.deepEqual(said, [
      'failed: no answer within 60 s (timeout)',
      'failed: expected at most 4 MiB (too-large)',
      'error: division by zero',
      '{"sum":3}',
    ])
  })

  it('says that the outcome is unknown when the answer is lost, and does not call again', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    host.respondToCall = () => 'hang up'
    start()
    assert.match(await host.replyTo(host.deliver('tool:t')), /^outcome unknown: the answer to t was lost/)
    assert.equal(host.toolCalls.length, 1)
  })

  it('does not call again after its own death, and says so', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    const agent = start()
    host.respondToCall = () => {
      agent.process.kill('SIGKILL')
      return 'hang up'
    }
    const id = host.deliver('tool:t')
    await agent.exited
    start()
    assert.match(await host.replyTo(id), /^outcome unknown: I was stopped/)
    assert.equal(host.toolCalls.length, 1)
  })

  it('repeats the reply, not the call, when it dies before the reply is taken', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    host.respondToCall = () => ({ status: 200, body: { content: [{ type: 'text', text: 'done' }], isError: false } })
    const agent = start()
    host.respondToReply = () => {
      agent.process.kill('SIGKILL')
      return 'hang up'
    }
    const id = host.deliver('tool:t')
    await agent.exited
    host.respondToReply = () => ({ status: 202, body: {} })
    start()
    assert.equal(await host.replyTo(id), 'done')
    assert.equal(host.toolCalls.length, 1)
  })

  it('lists by name what was there at launch', async (t) => {
    const { host, start } = await openRoom(t)
    host.toolNames = ['sample__echo', 'sample__add']
    await Promise.all([host.serveSession(), host.serveTools()])
    start()
    assert.equal(await host.replyTo(host.deliver('tools')), 'sample__add, sample__echo')
    host.toolNames = []
    assert.equal(await host.replyTo(host.deliver('tools')), 'sample__add, sample__echo')
    assert.equal(host.lists, 1)
  })

  it('knows that a unit has no tool servers', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    start()
    assert.equal(await host.replyTo(host.deliver('tools')), 'no tools')
    assert.equal(await host.replyTo(host.deliver('tool:t {}')), 'refused: this unit has no tool servers')
  })

  it('reads bad JSON aloud instead of calling', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    start()
    assert.match(await host.replyTo(host.deliver('tool:t {"a"')), /^I cannot read that: after tool:t I expected a JSON object/)
    assert.equal(await host.replyTo(host.deliver('tool:t [1]')), 'I cannot read that: after tool:t I expected a JSON object, got [1]')
    assert.equal(await host.replyTo(host.deliver('tool:')), 'I cannot read that: expected tool:<name> {json}')
    assert.deepEqual(host.toolCalls, [])
  })
})

describe('requests', timeout, () => {
  it('asks for a change and says what became of it', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    start()
    const said = await host.replyTo(host.deliver('request:mcp_access {"server":"sample","tools":[]}'))
    assert.equal(said, 'asked for mcp_access: chg_20260101000000.000000000 is held')
    assert.deepEqual(host.changes, [{ kind: 'mcp_access', after: { server: 'sample', tools: [] }, reason: 'asked for in a conversation' }])
  })

  it('passes on why a change was refused', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    host.respondToChange = () => ({ status: 422, body: { detail: 'no server sample in the catalog', code: 'change-refused' } })
    start()
    assert.equal(await host.replyTo(host.deliver('request:mcp_access {}')), 'refused: no server sample in the catalog (change-refused)')
  })
})
