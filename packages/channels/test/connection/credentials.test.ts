// Credentials that are revoked in mid-life and replaced: the channel says so, is up again with the new ones, and nothing that came
// or was to be said meanwhile is lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hearSlack, hearTelegram, outgoing, until } from '../fixtures/listener.ts'
import { never } from '../fixtures/sending.ts'
import { startSlack } from '@gatehouse/testkit/slack-server'
import { startTelegram } from '@gatehouse/testkit/telegram-server'

test('Slack with new tokens brings what was written meanwhile, and takes what was to be said', async (t) => {
  const tokens = { bot: 'xoxb-canary-old', app: 'xapp-canary-old' }
  const server = await startSlack(tokens)
  t.after(() => server.close())
  const start = () => hearSlack({ url: server.url, tokens })
  const old = start()
  await until('it to be up', () => old.line.state.state === 'up')
  Object.assign(tokens, { bot: 'xoxb-canary-new', app: 'xapp-canary-new' })
  server.cut()
  await until('it to be refused', () => old.line.state.state === 'refused')
  server.say({ text: 'meanwhile' })
  const message = { address: 'C0000OPS1', thread: undefined, reference: {} }
  await assert.rejects(old.channel.send(outgoing(message, 'the answer'), never()), { kind: 'later' })
  await old.stop()
  const fresh = start()
  t.after(() => fresh.stop())
  await until('the message', () => fresh.kept.some(({ text }) => text === 'meanwhile'))
  assert.equal(fresh.line.state.state, 'up')
  await fresh.channel.send(outgoing(message, 'the answer'), never())
  assert.equal(server.posted.at(-1)?.text, 'the answer')
  assert.ok(![...old.lines, ...fresh.lines].join('\n').includes('canary'))
})

test('Telegram with a new token brings what was written meanwhile, and takes what was to be said', async (t) => {
  const server = await startTelegram('987654321:canary-old')
  t.after(() => server.close())
  const start = (token: string) => hearTelegram({ token, url: server.url })
  const old = start('987654321:canary-old')
  await until('it to be up', () => old.line.state.state === 'up')
  Object.assign(server.telegram, { token: '987654321:canary-new' })
  server.telegram.wake()
  server.cut()
  await until('it to be refused', () => old.line.state.state === 'refused')
  const id = server.say({ text: 'meanwhile', chat: { id: 5, type: 'private' } })
  const message = { address: '5', thread: undefined, reference: { message: id, private: true } }
  await assert.rejects(old.channel.send(outgoing(message, 'the answer'), never()), { kind: 'later' })
  await old.stop()
  const fresh = start('987654321:canary-new')
  t.after(() => fresh.stop())
  await until('the message', () => fresh.kept.some(({ text }) => text === 'meanwhile'))
  assert.equal(fresh.line.state.state, 'up')
  await fresh.channel.send(outgoing(message, 'the answer'), never())
  assert.equal(server.sent.at(-1)?.text, 'the answer')
  assert.ok(![...old.lines, ...fresh.lines].join('\n').includes('canary'))
})
