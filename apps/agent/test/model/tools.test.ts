// Tools of the model and their results.
import assert from 'node:assert/strict'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { timeout } from '../fixtures/agent.ts'
import type { Reply } from '../fixtures/host.ts'
import { echo, models, type ModelRoom, openModelRoom, type ProviderName, refusals } from '../fixtures/model.ts'

const all = ['list_dir', 'read_file', 'read_persona', 'remember', 'request_capability_change', 'search', 'send_message', 'write_file']

const open = async (t: TestContext, name: ProviderName = 'anthropic'): Promise<ModelRoom> => {
  const room = await openModelRoom(t, name)
  room.host.builtins = all
  room.host.listed = [echo]
  return room
}

/** What the model is told of one call. */
const told = ({ host }: ModelRoom, tool: string, args: unknown): Promise<string> =>
  host.replyTo(host.deliver(`call ${tool} ${typeof args === 'string' ? args : JSON.stringify(args)}\n---\nsay {result}`))

describe('files', timeout, () => {
  it('are written, read, listed and searched below the places of the group alone', async (t) => {
    const room = await open(t)
    const { start, directory } = room
    await mkdir(join(directory, 'shared'))
    await writeFile(join(directory, 'shared/given.txt'), 'from the operator')
    await writeFile(join(directory, 'memory/.dialogue-other.json'), 'another conversation')
    await writeFile(join(directory, 'workspace/data.bin'), Buffer.from([1, 0, 2]))
    await symlink('/etc', join(directory, 'workspace/etc'))
    await symlink(join(directory, 'memory/.dialogue-other.json'), join(directory, 'workspace/other'))
    start()
    assert.equal(await told(room, 'write_file', { path: 'a/b.txt', text: 'Line one\nline Two' }), 'wrote 17 bytes')
    assert.equal(await told(room, 'read_file', { path: '/workspace/a/b.txt' }), 'Line one\nline Two')
    assert.equal(await told(room, 'list_dir', { path: '.' }), 'a/\ndata.bin\netc\nother')
    assert.equal(await told(room, 'search', { pattern: 'TWO' }), '/workspace/a/b.txt:2: line Two')
    assert.equal(await told(room, 'read_file', { path: '/shared/given.txt' }), 'from the operator')
    assert.equal(await told(room, 'read_file', { path: 'data.bin' }), 'not a text file: 3 bytes')
    for (const path of [
      '/etc/passwd',
      '../../etc/passwd',
      'etc/passwd',
      '/memory/.dialogue-other.json',
      'other',
      '/proc/self/environ',
      '/run/gatehouse',
      'a\u0000b',
    ])
      assert.match(await told(room, 'read_file', { path }), /the path must be below \/workspace, \/memory, \/mnt or \/shared \(got /, path)
    for (const path of ['/shared/x', '/memory/.dialogue-other.json', '/workspace/etc/x', '/tmp/x'])
      assert.match(await told(room, 'write_file', { path, text: 'x' }), /must be below \/workspace, \/memory or \/mnt \(/, path)
    assert.match(await told(room, 'read_file', { path: 'missing' }), /ENOENT/)
    assert.deepEqual(refusals(room), [])
  })
})

/** What the model is told of a message that it sends: said after the message itself. */
const toldLast = async ({ host }: ModelRoom, args: object): Promise<string> => {
  const id = host.deliver(`call send_message ${JSON.stringify(args)}\n---\nsay {result}`)
  await host.until(() => host.acknowledged.includes(id))
  return host.replies.findLast(({ inReplyTo }) => inReplyTo === id)?.text ?? '(no reply)'
}

describe('files for the human', timeout, () => {
  it('are named as the host knows them, and refused before they are sent where they lie elsewhere', async (t) => {
    const room = await open(t)
    const { host, start, directory } = room
    for (const place of ['shared', 'mnt']) {
      await mkdir(join(directory, place))
      await writeFile(join(directory, place, 'given.txt'), 'x')
    }
    await writeFile(join(directory, 'workspace/report.md'), 'x')
    await writeFile(join(directory, 'memory/.dialogue-other.json'), 'another conversation')
    await symlink(join(directory, 'workspace/report.md'), join(directory, 'workspace/latest'))
    start()
    const send = (...files: string[]) => toldLast(room, { text: 'Here.', files })
    assert.equal(await send('report.md', '/memory/notes.md', 'latest'), 'sent')
    const sent = () => host.replies.flatMap(({ files }) => (files === undefined ? [] : [files]))
    assert.deepEqual(sent(), [['/workspace/report.md', '/memory/notes.md', '/workspace/report.md']])
    for (const path of ['/shared/given.txt', '/mnt/given.txt'])
      assert.match(await send(path), /the file must be below \/workspace or \/memory .*Copy it there first/, path)
    for (const path of ['/etc/passwd', '/memory/.dialogue-other.json', '../../etc/passwd'])
      assert.match(await send(path), /the path must be below/, path)
    assert.match(await send('a', 'b', 'c', 'd', 'e'), /expected any to 4 items, got 5/)
    assert.equal(sent().length, 1)
    assert.deepEqual(refusals(room), [])
  })

  it('that the host does not take are told as a failure, and what is said next is said', async (t) => {
    const room = await open(t)
    const { host, start } = room
    host.respondToReply = ({ body }) =>
      (body as Reply).files !== undefined
        ? { status: 404, body: { detail: 'there is nothing at "/workspace/missing"', code: 'not-found' } }
        : { status: 202, body: {} }
    start()
    const calls = ['{"text":"One.","files":["missing"]}', '{"text":"Two."}'].map((args) => `call send_message ${args}`)
    const id = host.deliver([...calls, '---', 'say {result}'].join('\n'))
    await host.until(() => host.acknowledged.includes(id))
    const said = host.replies.filter(({ inReplyTo }) => inReplyTo === id)
    assert.equal(said[0]?.text, 'Two.')
    assert.equal(new Set(said.map((reply) => reply.id)).size, said.length)
    assert.match(await toldLast(room, { text: 'x', files: ['missing'] }), /refused the message: there is nothing at/)
    assert.deepEqual(refusals(room), [])
  })
})

describe('calls', timeout, () => {
  it('are checked before they are made, and refused with what was expected', async (t) => {
    const room = await open(t)
    const { host, start } = room
    start()
    assert.match(
      await told(room, 'sample__echo', { text: 5 }),
      /The arguments of sample__echo are invalid\. text: expected string, got integer\. Nothing was done/,
    )
    assert.match(await told(room, 'sample__echo', {}), /the arguments: text is missing/)
    assert.match(await told(room, 'sample__echo', { text: 'a', more: 1 }), /expected text, got more/)
    assert.match(await told(room, 'sample__echo', '{"text":"a"'), /not a JSON object|text is missing/)
    assert.match(await told(room, 'sample__other', {}), /There is no tool sample__other, or it is disabled\. Available tools: list_dir/)
    assert.match(await told(room, 'run_script', { code: '1' }), /There is no tool run_script/)
    assert.deepEqual(host.toolCalls, [])
    assert.deepEqual(refusals(room), [])
  })

  it('that are refused come back as errors that say what may be done next', async (t) => {
    const room = await open(t)
    const { host, start } = room
    start()
    const answers: [unknown, RegExp][] = [
      [
        { code: 'not-granted', message: 'no grant names it' },
        /no grant names it \(not-granted\)\. You can request it with request_capability_change/,
      ],
      [{ code: 'frozen', message: 'frozen by ada' }, /until a human lifts the freeze/],
      [{ code: 'timeout', message: 'no answer in 60 s' }, /Do not repeat it unless/],
      [{ code: 'definition-changed', message: 'not what was approved' }, /definition changed since it was approved/],
    ]
    for (const [error, says] of answers) {
      host.respondToCall = () => ({ status: 200, body: { content: [], isError: true, error } })
      assert.match(await told(room, 'sample__echo', { text: 'a' }), says)
    }
    host.respondToCall = () => 'hang up'
    assert.match(await told(room, 'sample__echo', { text: 'a' }), /Outcome unknown: the response of sample__echo was lost/)
    host.frozen = true
    assert.match(await told(room, 'sample__echo', { text: 'a' }), /There is no tool sample__echo/)
    host.frozen = false
    host.respondToCall = () => ({ status: 200, body: { content: [], structuredContent: { sum: 3 }, isError: false } })
    assert.equal(await told(room, 'sample__echo', { text: 'a' }), '{"sum":3}')
    assert.deepEqual(refusals(room), [])
  })

  it('with names and schemas that providers do not take are shown under names that they take', async (t) => {
    const room = await open(t, 'gemini')
    const { host, start, provider } = room
    const long = `sample__${'x'.repeat(70)}`
    host.listed = [
      { name: 'sample__a.b', inputSchema: {} },
      { name: long, inputSchema: { type: 'object' } },
      { name: '9srv__c', inputSchema: { type: 'object' } },
    ]
    start()
    await host.replyTo(host.deliver('say {tools}'))
    const shown = host.replies.at(-1)?.text.split(', ') ?? []
    assert.equal(shown.length, all.length + 3)
    const renamed = shown.find((name) => name.startsWith('sample__a_b_')) ?? ''
    await told(room, renamed, {})
    assert.deepEqual(host.toolCalls, [{ name: 'sample__a.b', arguments: {} }])
    assert.deepEqual(refusals(room), [])
    assert.ok(provider.requests.length > 0)
  })

  for (const name of Object.keys(models).filter((one) => one !== 'groq' && one !== 'openrouter') as ProviderName[]) {
    it(`that answer with an image show it to ${name}, or say that it cannot be seen`, async (t) => {
      const room = await open(t, name)
      const { host, start, provider } = room
      const data = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')
      host.respondToCall = () => ({
        status: 200,
        body: {
          content: [
            { type: 'text', text: 'a picture' },
            { type: 'image', mimeType: 'image/png', data },
          ],
          isError: false,
        },
      })
      start()
      assert.match(await told(room, 'sample__echo', { text: 'a' }), /a picture/)
      const sent = JSON.stringify(provider.requests.at(-1)?.body)
      assert.match(
        sent,
        name === 'mistral' || name === 'compatible' ? /image\/png, 8 bytes, which you cannot see/ : new RegExp(data.replaceAll('/', '.')),
      )
      assert.equal(await host.replyTo(host.deliver('say On.')), 'On.')
      assert.deepEqual(refusals(room), [])
    })
  }

  it('that never end are ended after some steps', async (t) => {
    const room = await open(t, 'compatible')
    const { host, start } = room
    start()
    const reply = await host.replyTo(host.deliver('call list_dir {"path":"."}\nagain'))
    assert.match(reply, /I stopped after 32 steps/)
    assert.equal(await host.replyTo(host.deliver('say On.')), 'On.')
    assert.deepEqual(refusals(room), [])
  })
})

describe('a request for more', timeout, () => {
  it('is held as an ordinary answer, and the decision is told to the model as a message of the house', async (t) => {
    const room = await open(t)
    const { host, start, provider } = room
    host.listed = []
    start()
    const after = { server: 'sample', tools: ['echo'] }
    const held = await told(room, 'request_capability_change', { kind: 'mcp_access', after, reason: 'to say it again' })
    assert.match(held, /is held\. A human decides, which may take a long time\. You will get a message/)
    assert.deepEqual(host.changes, [{ kind: 'mcp_access', after, reason: 'to say it again' }])
    assert.doesNotMatch(JSON.stringify(provider.requests.at(-1)?.body), /"is_error":true/)
    host.listed = [echo]
    host.respondToCall = () => ({ status: 200, body: { content: [{ type: 'text', text: 'again' }], isError: false } })
    const decision = host.deliver('change chg_1 (mcp_access) was applied', 'system')
    assert.match(await host.replyTo(decision), /^echo: <gatehouse>\nchange chg_1 \(mcp_access\) was applied\n<\/gatehouse>$/)
    assert.equal(await told(room, 'sample__echo', { text: 'a' }), 'again')
    assert.deepEqual(refusals(room), [])
  })

  it('is taken back by its id, and what cannot be taken back is told', async (t) => {
    const room = await open(t)
    const { host, start } = room
    const id = 'chg_20260101000000.000000000'
    const answers = [
      { status: 503, body: { code: 'unavailable' } },
      { status: 200, body: { id, state: 'withdrawn' } },
      { status: 409, body: { detail: `${id} is applied`, code: 'change-already-decided' } },
    ]
    host.respondToChange = () => answers.shift() ?? 'hang up'
    start()
    const withdraw = (after: object) => told(room, 'request_capability_change', { kind: 'withdraw', after, reason: 'another way' })
    assert.match(await withdraw({ id }), /^Change chg_\S+ is withdrawn\. It is no longer pending/)
    assert.match(await withdraw({ id }), /was not withdrawn: chg_\S+ is applied \(change-already-decided\)/)
    assert.match(await withdraw({ change: id }), /Nothing was withdrawn\. after must be \{"id"/)
    assert.deepEqual(
      host.withdrawn,
      Array.from({ length: 3 }, () => ({ id, body: { reason: 'another way' } })),
    )
    assert.deepEqual(host.changes, [])
    assert.deepEqual(refusals(room), [])
  })

  it('that is refused by a rule comes back as an error, and is not sent again', async (t) => {
    const room = await open(t)
    const { host, start } = room
    host.respondToChange = () => ({ status: 422, body: { detail: 'no server sample in the catalog', code: 'change-refused' } })
    start()
    const request = { kind: 'mcp_access', after: {}, reason: 'x' }
    assert.match(
      await told(room, 'request_capability_change', request),
      /failed: no server sample in the catalog \(change-refused\)\. Do not send the same request again/,
    )
    assert.match(await told(room, 'request_capability_change', { ...request, kind: 'agent_create' }), /kind: expected "mcp_access" or/)
    assert.equal(host.changes.length, 1)
  })
})

describe('memory', timeout, () => {
  it('holds the dialogue over a new start, and what was remembered in every conversation', async (t) => {
    const room = await open(t)
    const { host, start, provider, directory } = room
    const agent = start()
    assert.equal(await told(room, 'remember', { text: 'Ada likes  tea.\nReally.' }), 'noted')
    agent.process.kill('SIGTERM')
    await agent.exited
    host.model = { provider: 'mistral', id: models.mistral }
    start()
    assert.equal(await host.replyTo(host.deliver('say On.')), 'On.')
    const sent = JSON.stringify(provider.requests.at(-1)?.body)
    assert.equal(provider.requests.at(-1)?.provider, 'mistral')
    assert.match(sent, /- Ada likes tea\. Really\./)
    assert.match(sent, /call remember/)
    assert.deepEqual(refusals(room), [])
    assert.match(await readFile(join(directory, 'memory/.dialogue-ses_aaaaaaaaaaaaa.json'), 'utf8'), /^\{"model":"mistral/)
  })

  it('that was spoiled is put aside, and the agent begins anew', async (t) => {
    const room = await open(t)
    const { host, start, directory } = room
    await writeFile(join(directory, 'memory/.dialogue-ses_aaaaaaaaaaaaa.json'), '{"messages":[{"role":"wizard"}')
    const agent = start()
    assert.equal(await host.replyTo(host.deliver('say Hello.')), 'Hello.')
    assert.match(agent.stderr(), /cannot read \S+, moving it aside/)
    assert.deepEqual(refusals(room), [])
  })
})
