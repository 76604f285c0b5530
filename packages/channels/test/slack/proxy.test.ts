// Slack behind the proxy of an operator and with his own authority: its Web API, its socket and its files go that way, and no other.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { OutboundSettings } from '@gatehouse/contracts'
import { createSlack } from '../../src/slack/slack.ts'
import { distant, putBehindProxy, type Tunnelled } from '../fixtures/behind-proxy.ts'
import { hear, outgoing, until, way } from '../fixtures/listener.ts'
import { type SlackServer, startSlack } from '@gatehouse/testkit/slack-server'

const url = `https://${distant}/api/`
let server: SlackServer
let tunnelled: Tunnelled

before(async () => {
  server = await startSlack()
  tunnelled = await putBehindProxy(Number(new URL(server.url).port))
  server.slack.socketUrl = `wss://${distant}`
  server.uploads.url = `https://${distant}/upload/v1`
})
after(async () => {
  await tunnelled.close()
  await server.close()
})

const start = (outbound: OutboundSettings) => {
  const { bot: botToken, app: appToken } = server.tokens
  return hear((log) => createSlack({ credentials: { botToken, appToken, url }, ...way, outbound, log }))
}

test('messages, answers and files pass the proxy, which is asked for Slack alone and with its credentials', async () => {
  const options = start(tunnelled.settings)
  try {
    await until('it to be up', () => options.line.state.state === 'up')
    server.slack.files.set('F1', Buffer.from('by the proxy'))
    const brought = [{ id: 'F1', name: 'a.txt', size: 12, url_private_download: `https://${distant}/files/F1` }]
    server.say({ text: 'hello', more: { subtype: 'file_share', files: brought } })
    await until('the message to be heard', () => options.kept.some(({ text }) => text === 'hello'))
    const [message] = options.kept
    assert.ok(message !== undefined)
    assert.equal(Buffer.from((await message.files[0]?.read()) ?? []).toString(), 'by the proxy')
    await options.channel.send(outgoing(message, 'and an answer'), new AbortController().signal)
    assert.equal(server.posted.at(-1)?.text, 'and an answer')
    const files = [{ name: 'b.txt', bytes: Buffer.from('by the proxy, back') }]
    await options.channel.send(outgoing(message, '', { files }), new AbortController().signal)
    assert.equal(server.shared.at(-1)?.bytes.toString(), 'by the proxy, back')
    const ways = new Set(tunnelled.asked.map(({ target, authorization }) => `${target} ${authorization}`))
    assert.deepEqual([...ways], [`${distant}:443 Basic ${Buffer.from('user:word').toString('base64')}`])
  } finally {
    await options.stop()
  }
})

test('without the authority of the operator nothing is said to a server that it alone vouches for', async () => {
  const calls = server.calls('auth.test')
  const options = start({ ...tunnelled.settings, authorities: null })
  try {
    await until('it to be down', () => options.line.state.state === 'down')
    assert.equal(server.calls('auth.test'), calls)
  } finally {
    await options.stop()
  }
})
