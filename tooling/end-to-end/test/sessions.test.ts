// Sessions of a whole unit: many at once, changed in mid-conversation, cancelled, purged, and given packages to import.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FixtureRegistry, startRegistry } from '@gatehouse/testkit/npm-registry'
import { allowTool, applyChange, scriptOf, settled } from '../src/changes.ts'
import { allMessages, replyTo, say, sendSurely } from '../src/chat.ts'
import { post } from '../src/http.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const atOnce = isFull ? 100 : 10
const personas = isFull ? 20 : 3
const group = 'dev-agent'
const patience = 60_000

const isOdd = {
  name: 'is-odd',
  version: '3.0.1',
  manifest: { type: 'module', exports: './index.js' },
  files: [{ path: 'index.js', text: 'export default (n) => n % 2 === 1\n' }],
}

describe('sessions', { timeout: 600_000 }, () => {
  let registry: FixtureRegistry
  let unit: Unit
  before(async () => {
    registry = await startRegistry([isOdd, { ...isOdd, name: 'scripted', manifest: { scripts: { postinstall: 'true' } } }])
    unit = await startUnit({
      flags: ['--dev', '--sandbox', 'bubblewrap', '--rate-limit', 'off'],
      env: { SERVICE_NPM_REGISTRY: registry.url },
    })
  })
  after(async () => {
    await unit.dispose()
    await registry.close()
  })

  const change = (kind: string, body: object) =>
    post(`${unit.address}/v1/ui/config/change`, { kind, agentGroupID: group, requestedBy: 'cli:tester', after: body })

  const apply = (kind: string, body: object): Promise<string> => applyChange(unit, { kind, after: body })

  test(`${atOnce} at once are each answered in their own conversation`, async () => {
    const conversations = Array.from({ length: atOnce }, (_, index) => `talk-${index}`)
    const sent = await Promise.all(conversations.map((conversationId) => sendSurely(unit, `in ${conversationId}`, conversationId)))
    const replies = await waitFor('a reply in each', patience * 5, async () => {
      const found = await Promise.all(
        sent.map(async ({ conversationId, messageId }) => {
          const said = (await unit.client.chat.messages(group, { conversation: conversationId })).messages
          return said.filter(({ inReplyTo }) => inReplyTo === messageId).map(({ text }) => text)
        }),
      )
      return found.every(({ length }) => length > 0) ? found : undefined
    })
    assert.deepEqual(
      replies,
      conversations.map((name) => [`echo: in ${name}`]),
    )
    const { items } = await unit.client.sessions.list({ limit: 200 })
    for (const { conversationId, id } of items) {
      if (!conversationId.startsWith('talk-')) continue
      await unit.client.sessions.terminate(id)
      await unit.client.sessions.purge(id)
    }
    assert.deepEqual((await unit.client.chat.messages(group)).messages, [])
  })

  test(`${personas} personas change while the talk goes on: each answers from its change on, and nothing said is lost`, async () => {
    await say(unit, 'hello')
    const asked: string[] = []
    const over = new AbortController()
    const talking = (async () => {
      while (!over.signal.aborted) {
        const { messageId } = await unit.client.chat.send({ agentGroupID: group, text: 'tool:read_persona {}' })
        asked.push(messageId)
        await replyTo(unit, messageId)
      }
    })()
    for (let at = 0; at < personas; at += 1) {
      await settled(unit, await apply('persona', { instructions: `You are number ${at}.` }))
      assert.equal(await say(unit, 'tool:read_persona {}'), `You are number ${at}.`)
    }
    over.abort()
    await talking
    const said = await allMessages(unit)
    const replies = asked.map((id) => said.filter(({ inReplyTo }) => inReplyTo === id).map(({ text }) => text))
    assert.ok(
      replies.every(({ length }) => length === 1),
      'each question has one answer',
    )
    const numbers = replies.map(([text]) => Number(/number (\d+)/.exec(text ?? '')?.[1] ?? -1))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
      'none comes back',
    )
    assert.ok(said.some(({ text }) => text === 'echo: hello'))
  })

  test('a package is resolved, approved as a tree, and imported by a script', async () => {
    await allowTool(unit, 'run_script')
    const code = `import isOdd from 'is-odd'; console.log(isOdd(3))`
    const script = scriptOf(code)
    assert.match(await say(unit, script), /Cannot find package/)
    const id = await apply('packages', { npm: ['is-odd@3.0.1'] })
    const shown = await unit.client.changes.show(id)
    assert.equal(shown.risk, 'high')
    assert.equal(shown.evidence?.['status'], 'resolved')
    await settled(unit, id)
    assert.deepEqual(JSON.parse(await say(unit, script)), { stdout: 'true\n', stderr: '', exitCode: 0 })
  })

  test('a package that needs a script, or that is not there, is refused and never held', async () => {
    for (const [name, rule] of [
      ['scripted@3.0.1', 'packages-script'],
      ['nothing@1.0.0', 'packages-not-found'],
    ]) {
      const { status, json } = await change('packages', { npm: [name] })
      assert.deepEqual([status, json?.['code'], json?.['rule']], [422, 'change-refused', rule])
    }
    assert.deepEqual((await unit.client.changes.pending()).items, [])
  })

  test('a turn is cancelled, and the next message is answered', async () => {
    const endless = scriptOf('for (;;);', { timeoutMs: 60_000 })
    const { messageId, sessionId } = await unit.client.chat.send({ agentGroupID: group, text: endless })
    await waitFor('the turn to be cancelled', patience, async () =>
      unit.client.sessions.cancel(sessionId).then(
        () => true,
        () => false,
      ),
    )
    assert.match(await replyTo(unit, messageId), /cancelled/)
    assert.equal(await say(unit, 'after it'), 'echo: after it')
    assert.deepEqual(Object.keys(await unit.client.sessions.logs(sessionId)), ['lines', 'dropped'])
  })
})
