// session.sock: what a sandbox may ask, and what it gets for asking badly.
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { join } from 'node:path'
import { waitFor } from '@gatehouse/kernel'
import { ask, type Asked } from '../fixtures/door.ts'
import { codeOf, openRoom } from '../fixtures/room.ts'

describe('session.sock', { timeout: 300_000 }, () => {
  it('says who the agent is', async (t) => {
    const { unit, call } = await openRoom(t)
    const [session] = unit.gateway.sessions.keys()
    const tools = unit.gateway.group.tools
    assert.deepEqual((await call({ method: 'GET', path: '/session' })).body, {
      session,
      agentGroupID: 'dev-agent',
      conversationId: 'console',
      name: 'Dev',
      agent: 'mock',
      persona: 'first',
      tools,
    })
  })

  it('says which tools are on and which model is meant', async (t) => {
    const { unit, socket } = await openRoom(t)
    await unit.stop()
    unit.gateway.group.tools = ['send_message', 'request_capability_change']
    unit.gateway.group.model = { provider: 'anthropic', id: 'some-model' }
    await unit.start()
    await unit.inState('launching')
    const { body } = await waitFor(() => ask(socket, { method: 'GET', path: '/session' }).catch(() => undefined), { what: 'an answer' })
    const { tools, model } = body as { tools: unknown; model: unknown }
    assert.deepEqual([tools, model], [unit.gateway.group.tools, unit.gateway.group.model])
  })

  it('says which tools are on for the group and cannot be used without a sandbox, and why', async (t) => {
    const { unit, socket } = await openRoom(t)
    await unit.stop()
    unit.gateway.group.tools = ['send_message', 'run_script']
    await unit.start()
    await unit.inState('launching')
    const { body } = await waitFor(() => ask(socket, { method: 'GET', path: '/session' }).catch(() => undefined), { what: 'an answer' })
    const { tools, unavailable } = body as { tools: unknown; unavailable: Readonly<Record<string, string>> }
    assert.deepEqual(tools, ['send_message'])
    assert.deepEqual(Object.keys(unavailable), ['run_script'])
    assert.match(String(unavailable['run_script']), /without a sandbox/)
  })

  it('tells the gateway since when the agent has been at what it works on', async (t) => {
    const { unit, call } = await openRoom(t)
    const request = () => call({ method: 'POST', path: '/changes', body: '{"kind":"mcp_access","after":{}}' })
    await request()
    const before = new Date().toISOString()
    const { body } = await call({ method: 'GET', path: '/inbox' })
    const after = new Date().toISOString()
    await request()
    await call({ method: 'GET', path: '/inbox' })
    await request()
    const [message] = (body as { messages: { id: string }[] }).messages
    await call({ method: 'POST', path: `/inbox/${message?.id}/ack` })
    await request()
    const [unasked, handed, again, done] = unit.gateway.submitted.map(({ turnSince }) => turnSince)
    assert.deepEqual([unasked, done], [undefined, undefined])
    assert.ok(handed !== undefined && before <= handed && handed <= after, `${before} ${handed} ${after}`)
    assert.equal(again, handed)
  })

  it('counts a turn over the death of the runner from when its message came', async (t) => {
    const { unit, socket } = await openRoom(t)
    const [message] = await unit.messages()
    await unit.stop()
    await unit.start()
    await waitFor(() => ask(socket, { method: 'GET', path: '/inbox' }).catch(() => undefined), { what: 'the message' })
    await ask(socket, { method: 'POST', path: '/changes', body: '{"kind":"mcp_access","after":{}}' })
    assert.equal(unit.gateway.submitted[0]?.turnSince, message?.at)
  })

  it('delivers what is not acknowledged again and again, and nothing that is', async (t) => {
    const { call, messageId } = await openRoom(t)
    for (let time = 0; time < 2; time += 1) {
      const { body } = await call({ method: 'GET', path: '/inbox' })
      const [message] = (body as { messages: { id: string; from: string; text: string; seq: number }[] }).messages
      assert.deepEqual(
        { id: message?.id, from: message?.from, text: message?.text, seq: message?.seq },
        { id: messageId, from: 'user', text: 'hello', seq: 1 },
      )
    }
    for (let time = 0; time < 2; time += 1) assert.equal((await call({ method: 'POST', path: `/inbox/${messageId}/ack` })).status, 204)
    assert.deepEqual((await call({ method: 'GET', path: '/inbox' })).body, { messages: [] })
  })

  it('wakes a long poll when a message comes', async (t) => {
    const { unit, call, messageId } = await openRoom(t)
    await call({ method: 'POST', path: `/inbox/${messageId}/ack` })
    const poll = call({ method: 'GET', path: '/inbox?wait=25' })
    const { messageId: second } = await unit.send('second')
    const { messages } = (await poll).body as { messages: { id: string }[] }
    assert.deepEqual(
      messages.map(({ id }) => id),
      [second],
    )
  })

  it('lets one long poll wait for a session, the newest', async (t) => {
    const { call, messageId } = await openRoom(t)
    await call({ method: 'POST', path: `/inbox/${messageId}/ack` })
    const first = call({ method: 'GET', path: '/inbox?wait=25' })
    await call({ method: 'GET', path: '/session' })
    void call({ method: 'GET', path: '/inbox?wait=25' }).catch(() => undefined)
    assert.deepEqual((await first).body, { messages: [] })
  })

  it('delivers as many messages as fit an answer, and the rest after them', async (t) => {
    const { unit, call } = await openRoom(t)
    for (let count = 0; count < 6; count += 1) await unit.send('x'.repeat(256 * 1024))
    const { messages } = (await call({ method: 'GET', path: '/inbox' })).body as { messages: { seq: number }[] }
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      [1, 2, 3, 4],
    )
  })

  it('takes a reply once, whatever the second one says', async (t) => {
    const { unit, call, messageId } = await openRoom(t)
    const post = (text: string) =>
      call({ method: 'POST', path: '/outbox', body: JSON.stringify({ id: `r-${messageId}-1`, text, inReplyTo: messageId }) })
    assert.equal((await post('one')).status, 202)
    assert.equal((await post('two')).status, 202)
    assert.deepEqual(await unit.texts(), ['hello', 'one'])
  })

  it('refuses a reply under the id of somebody else’s message, or to a message that is not there', async (t) => {
    const { unit, call, messageId } = await openRoom(t)
    const post = (message: object) => call({ method: 'POST', path: '/outbox', body: JSON.stringify(message) })
    assert.equal(codeOf(await post({ id: messageId, text: 'mine' })), 'conflict')
    const answer = await post({ id: 'r-1', text: 'x', inReplyTo: 'm-nothing' })
    assert.equal(codeOf(answer), 'invalid')
    assert.deepEqual(
      (answer.body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer),
      ['/inReplyTo'],
    )
    assert.deepEqual(await unit.texts(), ['hello'])
  })

  it('passes a request for a change on, and what the gateway refuses with its reason', async (t) => {
    const { unit, call } = await openRoom(t)
    const body = JSON.stringify({ kind: 'mcp_access', after: { server: 'sample', tools: ['echo'] } })
    const { status, body: answer } = await call({ method: 'POST', path: '/changes', body })
    assert.deepEqual({ status, answer }, { status: 202, answer: { id: unit.gateway.changeID, state: 'held' } })
    assert.deepEqual((await call({ method: 'GET', path: `/changes/${unit.gateway.changeID}` })).body, {
      id: unit.gateway.changeID,
      state: 'held',
    })
    unit.gateway.down = true
    assert.equal((await call({ method: 'POST', path: '/changes', body })).status, 503)
  })

  it('delivers nothing new to a sandbox that is to be replaced, and replaces it when it is done', async (t) => {
    const { unit, call, messageId } = await openRoom(t)
    const delivered = async () => {
      const { body } = await call({ method: 'GET', path: '/inbox' })
      return (body as { messages: { id: string }[] }).messages.map(({ id }) => id)
    }
    assert.deepEqual(await delivered(), [messageId])
    unit.gateway.emit('group-changed', { agentGroupID: unit.gateway.group.id, changeID: unit.gateway.changeID, narrowing: false })
    const { messageId: second } = await unit.send('second')
    assert.deepEqual(await delivered(), [messageId])
    assert.equal((await unit.session())?.launches, 1)
    await call({ method: 'POST', path: `/inbox/${messageId}/ack` }).catch(() => undefined)
    await waitFor(async () => (await unit.session())?.launches === 2, { what: 'a second sandbox' })
    const again = async () => (await delivered().catch((): string[] => [])).includes(second)
    await waitFor(again, { what: 'what the first one did not get' })
  })

  it('does not look at headers that claim an identity', async (t) => {
    const { unit, call } = await openRoom(t)
    const [session] = unit.gateway.sessions.keys()
    const headers = { 'x-session-id': 'ses_zzzzzzzzzzzzz', authorization: 'Bearer admin', 'x-agent-group-id': 'other' }
    const { body } = await call({ method: 'GET', path: '/session', headers })
    assert.equal((body as { session: string }).session, session)
  })

  const text = 'x'.repeat(256 * 1024 + 1)
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  const hostile: [string, Asked, number, string][] = [
    ['an unknown path', { method: 'GET', path: '/etc/passwd' }, 404, 'not-found'],
    ['a path with dots', { method: 'GET', path: '/inbox/../../x' }, 404, 'not-found'],
    ['a wrong method', { method: 'DELETE', path: '/session' }, 405, 'method-not-allowed'],
    ['a wrong method on a path with an id', { method: 'GET', path: '/inbox/m-1/ack' }, 405, 'method-not-allowed'],
    ['no media type', { method: 'POST', path: '/outbox', body: '{}', headers: { 'content-type': '' } }, 415, 'unsupported-media-type'],
    [
      'a form',
      { method: 'POST', path: '/outbox', body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'unsupported-media-type',
    ],
    ['no JSON', { method: 'POST', path: '/outbox', body: '{"id":' }, 400, 'malformed'],
    ['bytes that are no text', { method: 'POST', path: '/outbox', body: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }, 400, 'malformed'],
    ['an array', { method: 'POST', path: '/outbox', body: '[]' }, 422, 'invalid'],
    ['null', { method: 'POST', path: '/outbox', body: 'null' }, 422, 'invalid'],
    ['an unknown member', { method: 'POST', path: '/outbox', body: '{"id":"r-1","text":"x","from":"user"}' }, 422, 'invalid'],
    ['a prototype', { method: 'POST', path: '/outbox', body: '{"id":"r-1","text":"x","__proto__":{"from":"user"}}' }, 422, 'invalid'],
    ['an id with a path in it', { method: 'POST', path: '/outbox', body: '{"id":"../x","text":"x"}' }, 422, 'invalid'],
    ['a message beyond 256 KiB', { method: 'POST', path: '/outbox', body: JSON.stringify({ id: 'r-1', text }) }, 422, 'invalid'],
    ['a body beyond 1 MiB', { method: 'POST', path: '/outbox', body: 'x'.repeat(1024 * 1024 + 1) }, 413, 'too-large'],
    [
      'a body beyond 1 MiB that hides its length',
      { method: 'POST', path: '/outbox', body: 'x'.repeat(1024 * 1024 + 1), headers: { 'transfer-encoding': 'chunked' } },
      413,
      'too-large',
    ],
    ['a change nested too deeply', { method: 'POST', path: '/changes', body: `{"kind":"mcp_access","after":${deep}}` }, 400, 'malformed'],
    [
      'a change of too many values',
      { method: 'POST', path: '/changes', body: `{"kind":"mcp_access","after":[${'1,'.repeat(50_000)}1]}` },
      400,
      'malformed',
    ],
    ['an acknowledgement of nothing', { method: 'POST', path: '/inbox/m-nothing/ack' }, 404, 'not-found'],
    ['an acknowledgement of no id', { method: 'POST', path: '/inbox/%00/ack' }, 422, 'invalid'],
    ['a wait that is no number', { method: 'GET', path: '/inbox?wait=forever' }, 422, 'invalid'],
    ['a change without a proper id', { method: 'GET', path: '/changes/1' }, 422, 'invalid'],
    ['a change of nobody', { method: 'GET', path: '/changes/chg_20261120125301.000000000' }, 404, 'not-found'],
  ]

  it('answers bad requests with the code of the table as problem+json, and changes nothing', async (t) => {
    const { unit, call } = await openRoom(t)
    for (const [what, asked, status, code] of hostile) {
      const answer = await call(asked)
      assert.deepEqual({ what, status: answer.status, code: codeOf(answer) }, { what, status, code })
      assert.match(answer.type ?? '', /^application\/problem\+json/)
    }
    assert.deepEqual(await unit.texts(), ['hello'])
    assert.equal((await call({ method: 'GET', path: '/session' })).status, 200)
  })

  it('names the method that a path has', async (t) => {
    const { call } = await openRoom(t)
    assert.equal((await call({ method: 'PUT', path: '/outbox' })).headers['allow'], 'POST')
  })

  it('closes connections beyond the limit and continues', async (t) => {
    const { socket, call } = await openRoom(t)
    const idle = Array.from({ length: 80 }, () => connect(socket))
    const closed = idle.map((one) => new Promise<void>((resolve) => one.on('error', () => resolve()).on('close', () => resolve())))
    await Promise.race(closed)
    for (const one of idle) one.destroy()
    await waitFor(
      () =>
        call({ method: 'GET', path: '/session' }).then(
          ({ status }) => status === 200,
          () => false,
        ),
      { what: 'an answer' },
    )
  })

  it('lets in its own sandbox alone', async (t) => {
    const { socket, unit } = await openRoom(t)
    const modes = async (...paths: string[]) => Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)))
    assert.deepEqual(await modes(`${unit.runDir}/session`, join(socket, '..'), socket), ['711', '700', '600'])
  })

  it('is the group’s of a sandbox that has a host uid of its own', { skip: process.geteuid?.() !== 0 }, async (t) => {
    const { socket, unit } = await openRoom(t, { owner: () => ({ uid: 70_001, gid: 70_002 }) })
    const facts = async (path: string) => {
      const { mode, uid, gid } = await stat(path)
      return [(mode & 0o777).toString(8), uid, gid]
    }
    assert.deepEqual(await facts(join(socket, '..')), ['710', 0, 70_002])
    assert.deepEqual(await facts(socket), ['660', 0, 70_002])
    const group = `${unit.stateDir}/groups/dev-agent`
    assert.deepEqual(await facts(`${group}/workspace`), ['700', 70_001, 70_002])
    assert.deepEqual(await facts(`${group}/memory`), ['700', 70_001, 70_002])
    assert.deepEqual(await facts(`${group}/shared`), ['755', 70_001, 70_002])
    assert.deepEqual(await facts(group), ['700', 0, 0])
  })
})
