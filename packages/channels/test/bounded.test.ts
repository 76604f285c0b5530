// What services answer and send: its structure is bounded before their clients parse it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonBounds } from '@gatehouse/contracts'
import { JsonRefused } from '@gatehouse/kernel'
import { boundedAnswer } from '../src/bounded-answer.ts'
import { BoundedSocket } from '../src/slack/app.ts'
import { receiveWebhook } from '../src/webhook/webhook.ts'
import { sign } from '../src/webhook/signature.ts'
import { startSlack } from '@gatehouse/testkit/slack-server'

test('an answer beyond the bounds is refused before any client reads it, and another one is as it was', async () => {
  const { values } = jsonBounds.channelAnswer
  for (const text of ['['.repeat(100_000), `[${'1,'.repeat(values)}1]`])
    await assert.rejects(boundedAnswer(new Response(text)), JsonRefused)
  const answer = await boundedAnswer(new Response('{"ok":true}', { status: 429, headers: { 'retry-after': '7' } }))
  assert.deepEqual([answer.status, answer.headers.get('retry-after'), await answer.json()], [429, '7', { ok: true }])
  assert.equal((await boundedAnswer(new Response(null, { status: 204 }))).status, 204)
})

test('a message beyond the bounds ends the connection to Slack and is not parsed', async (t) => {
  const server = await startSlack()
  const socket = new BoundedSocket({ appToken: server.tokens.app, autoReconnectEnabled: false, clientOptions: { slackApiUrl: server.url } })
  await socket.start()
  const parser = t.mock.method(JSON, 'parse')
  const ended = new Promise((resolve) => void socket.on('disconnected', resolve))
  for (const one of server.slack.sockets) one.send('['.repeat(100_000))
  await ended
  assert.equal(parser.mock.calls.filter(({ arguments: [text] }) => text.startsWith('[[')).length, 0)
  await server.close()
})

test('a genuine webhook beyond the bounds is invalid, with the reason', async () => {
  const secret = Buffer.alloc(32, 7)
  const now = 1_700_000_000_000
  const send = async (body: string) => {
    const signed = { id: 'a', timestamp: String(now / 1000), body }
    return receiveWebhook({ ...signed, signature: sign([secret], signed) }, { secrets: [secret], take: async () => 'accepted', now })
  }
  assert.deepEqual(await send(`{"type":"message","data":${'['.repeat(100_000)}`), {
    outcome: 'invalid',
    detail: '/: the document is nested deeper than 64 levels',
  })
  assert.deepEqual(await send(`{"type":"message","data":[${'1,'.repeat(5_000)}1]}`), {
    outcome: 'invalid',
    detail: '/: the document has more than 2000 values and names',
  })
  assert.equal((await send('{"type":"message","data":{"address":"a","user":"u","text":"t"}}')).outcome, 'accepted')
})
