// What the agent does beyond talking: tools and requests for changes, each at most once a message.
import assert from 'node:assert/strict'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openRoom, timeout } from './fixtures/agent.ts'
import type { Reply } from './fixtures/host.ts'

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
    assert.match(await host.replyTo(host.deliver('tool:t')), /^outcome unknown: the response of t was lost/)
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
    assert.match(await host.replyTo(host.deliver('tool:t {"a"')), /^cannot parse the command: after tool:t, expected a JSON object/)
    assert.equal(await host.replyTo(host.deliver('tool:t [1]')), 'cannot parse the command: after tool:t, expected a JSON object, got [1]')
    assert.equal(await host.replyTo(host.deliver('tool:')), 'cannot parse the command: expected tool:<name> {json}')
    assert.deepEqual(host.toolCalls, [])
  })
})

describe('requests', timeout, () => {
  it('asks for a change and says what became of it', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    start()
    const said = await host.replyTo(host.deliver('request:mcp_access {"server":"sample","tools":[]}'))
    assert.equal(said, 'requested mcp_access: chg_20260101000000.000000000 is held')
    assert.deepEqual(host.changes, [{ kind: 'mcp_access', after: { server: 'sample', tools: [] }, reason: 'requested in a conversation' }])
  })

  it('takes a request back', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    host.respondToChange = () => ({ status: 200, body: { id: 'chg_1', state: 'withdrawn' } })
    start()
    assert.equal(await host.replyTo(host.deliver('request:withdraw {"id":"chg_1"}')), 'chg_1 is withdrawn')
    assert.deepEqual(host.changes, [])
  })

  it('passes on why a change was refused', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    host.respondToChange = () => ({ status: 422, body: { detail: 'no server sample in the catalog', code: 'change-refused' } })
    start()
    assert.equal(await host.replyTo(host.deliver('request:mcp_access {}')), 'refused: no server sample in the catalog (change-refused)')
  })
})

describe('a freeze', timeout, () => {
  it('is no fault of the host: a call is refused once and the agent goes on', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    host.frozen = true
    start()
    assert.equal(await host.replyTo(host.deliver('tool:sample__echo {}')), 'refused: this group is frozen: an incident (frozen)')
    assert.equal(host.toolCalls.length, 1)
    assert.equal(await host.replyTo(host.deliver('hello')), 'echo: hello')
  })

  it('refuses the list of tools, which is asked for again when it is wanted next', async (t) => {
    const { host, start } = await openRoom(t)
    host.toolNames = ['sample__echo']
    await Promise.all([host.serveSession(), host.serveTools()])
    host.frozen = true
    const agent = start()
    assert.equal(await host.replyTo(host.deliver('tools')), 'refused: this group is frozen: an incident (frozen)')
    host.frozen = false
    assert.equal(await host.replyTo(host.deliver('tools')), 'sample__echo')
    const { lists } = host
    assert.equal(await host.replyTo(host.deliver('tools')), 'sample__echo')
    assert.equal(host.lists, lists)
    assert.equal(agent.stderr(), '')
  })

  it('before the first message is survived', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    host.frozen = true
    const agent = start()
    await host.until(() => host.lists > 0)
    assert.equal(await host.replyTo(host.deliver('hello')), 'echo: hello')
    assert.equal(agent.process.exitCode, null)
  })
})

describe('built-in tools', timeout, () => {
  it('are listed as they were told at launch', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    start()
    assert.equal(await host.replyTo(host.deliver('tools builtin')), 'read_persona, request_capability_change, send_message')
  })

  it('that are on and cannot be used in this unit are refused with the reason', async (t) => {
    const { host, start } = await openRoom(t)
    host.unavailable = { run_script: 'this unit runs agents without a sandbox' }
    await host.serveSession()
    start()
    assert.equal(
      await host.replyTo(host.deliver('tool:run_script {}')),
      'refused: run_script is not available: this unit runs agents without a sandbox (no-sandbox)',
    )
    assert.equal(await host.replyTo(host.deliver('tool:write_file {}')), 'refused: write_file is turned off for this group (not-enabled)')
  })

  it('answer when they are on, and are refused when they are off', async (t) => {
    const { host, start } = await openRoom(t)
    await Promise.all([host.serveSession(), host.serveTools()])
    const first = start()
    assert.equal(await host.replyTo(host.deliver('tool:read_persona')), 'Be brief.')
    assert.equal(await host.replyTo(host.deliver('tool:run_script {}')), 'refused: run_script is turned off for this group (not-enabled)')
    first.process.kill('SIGTERM')
    await first.exited
    host.builtins = ['send_message', 'run_script']
    start()
    assert.equal(await host.replyTo(host.deliver('tool:read_persona')), 'refused: read_persona is turned off for this group (not-enabled)')
    assert.equal(
      await host.replyTo(host.deliver('tool:run_script {}')),
      '{"stdout":"","stderr":"run_script: only available in a sandbox","exitCode":null}',
    )
    assert.deepEqual(host.toolCalls, [])
  })

  it('work as they do for an agent with a model', async (t) => {
    const { host, directory, start } = await openRoom(t)
    await mkdir(join(directory, 'workspace'))
    await host.serveSession()
    host.builtins = ['read_file', 'write_file', 'list_dir', 'search', 'remember', 'request_capability_change']
    start()
    const call = (name: string, args: object) => host.replyTo(host.deliver(`tool:${name} ${JSON.stringify(args)}`))
    assert.equal(await call('write_file', { path: 'a/report.md', text: 'all is well' }), 'wrote 11 bytes')
    assert.equal(await call('read_file', { path: 'a/report.md' }), 'all is well')
    assert.equal(await call('list_dir', { path: '.' }), 'a/')
    assert.match(await call('search', { pattern: 'WELL' }), /report\.md:1: all is well/)
    assert.equal(await call('remember', { text: 'tea' }), 'noted')
    assert.match(await readFile(join(directory, 'memory/notes.md'), 'utf8'), /tea/)
    assert.match(await call('request_capability_change', { kind: 'tools', after: { enabled: [] }, reason: 'a trial' }), /chg_|Change|held/)
    assert.match(await call('read_file', { path: '/etc/passwd' }), /^failed: /)
    assert.match(await call('read_file', {}), /^failed: .*path is missing/)
  })

  it('send a message with files beside the answer, and say why the host does not take it', async (t) => {
    const { host, start } = await openRoom(t)
    await host.serveSession()
    const refused = { status: 404, body: { detail: 'there is nothing at "/workspace/b"', code: 'not-found', hint: 'name another' } }
    host.respondToReply = ({ body }) => ((body as Reply).files?.includes('/workspace/b') === true ? refused : { status: 202, body: {} })
    start()
    const say = async (args: object) => {
      const id = host.deliver(`tool:send_message ${JSON.stringify(args)}`)
      await host.until(() => host.acknowledged.includes(id))
      return host.replies.filter(({ inReplyTo }) => inReplyTo === id).map(({ id: own, text, files }) => [own.slice(-1), text, files])
    }
    assert.deepEqual(await say({ text: 'here', files: ['/workspace/a'] }), [
      ['2', 'here', ['/workspace/a']],
      ['1', 'sent', undefined],
    ])
    assert.deepEqual(await say({ text: 'there', files: ['/workspace/b'] }), [
      ['1', 'refused: there is nothing at "/workspace/b" (not-found): name another', undefined],
    ])
  })
})
