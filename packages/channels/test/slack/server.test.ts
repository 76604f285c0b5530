// Our Slack is believed because Slack's own clients, as they come, work with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SocketModeClient } from '@slack/socket-mode'
import { WebAPIPlatformError, WebAPIRateLimitedError, WebClient } from '@slack/web-api'
import { until } from '../fixtures/listener.ts'
import { ann, me, place, startSlack } from '@gatehouse/testkit/slack-server'

test("Slack's own clients connect, hear, acknowledge, answer in a thread, come back and are refused as by Slack", async () => {
  const server = await startSlack()
  const web = new WebClient(server.tokens.bot, { slackApiUrl: server.url, rejectRateLimitedCalls: true })
  const socket = new SocketModeClient({ appToken: server.tokens.app, clientPingTimeout: 1000, clientOptions: { slackApiUrl: server.url } })
  const heard: string[] = []
  socket.on('message', ({ event, ack }: { event: { user: string; text: string; ts: string }; ack: () => Promise<void> }) => {
    heard.push(`${event.user} ${event.text}`)
    void ack().then(() => web.chat.postMessage({ channel: place, text: `you said ${event.text}`, thread_ts: event.ts }))
  })
  assert.equal((await web.auth.test()).user_id, me.user_id)
  await socket.start()
  const ts = server.say({ text: 'one' })
  await until('the first to be answered', () => server.posted.length > 0)
  assert.deepEqual([server.posted[0]?.text, server.posted[0]?.['thread_ts']], ['you said one', ts])
  await until('it to be acknowledged', () => server.slack.open.size === 0)
  server.refresh()
  server.say({ text: 'two' })
  await until('the second to be answered', () => server.posted.some(({ text }) => text === 'you said two'))
  assert.deepEqual(new Set(heard), new Set([`${ann} one`, `${ann} two`]))
  server.fail('chat.postMessage', { retryAfter: 3 })
  const limited: unknown = await web.chat.postMessage({ channel: place, text: 'x' }).catch((error: unknown) => error)
  assert.ok(limited instanceof WebAPIRateLimitedError && limited.retryAfter === 3)
  const lost: unknown = await web.chat.postMessage({ channel: 'CNOWHERE', text: 'x' }).catch((error: unknown) => error)
  assert.ok(lost instanceof WebAPIPlatformError && lost.data.error === 'channel_not_found')
  await socket.disconnect()
  await server.close()
})

test("Slack's own clients hear a pressed button, change the message in place and answer who pressed alone", async () => {
  const server = await startSlack()
  const web = new WebClient(server.tokens.bot, { slackApiUrl: server.url })
  const socket = new SocketModeClient({ appToken: server.tokens.app, clientOptions: { slackApiUrl: server.url } })
  interface InteractionReply {
    readonly ack: () => Promise<void>
    readonly body: { user: { id: string }; container: { channel_id: string; message_ts: string }; actions: { value: string }[] }
  }
  socket.on('interactive', ({ ack, body: { user, container, actions } }: InteractionReply) => {
    const { channel_id: channel, message_ts: ts } = container
    void ack()
      .then(() => web.chat.update({ channel, ts, text: `done ${actions[0]?.value}`, blocks: [] }))
      .then(() => web.chat.postEphemeral({ channel, user: user.id, text: 'thanks' }))
  })
  await socket.start()
  const button = { type: 'button', text: { type: 'plain_text', text: 'Press' }, action_id: 'a', value: 'x' } as const
  await web.chat.postMessage({ channel: place, text: 'a card', blocks: [{ type: 'actions', elements: [button] }] })
  const [shown] = server.shown
  assert.ok(shown)
  const envelope = server.press(shown, 'Press')
  await until('the answer', () => server.told.length > 0)
  assert.deepEqual(server.told, [{ channel: place, user: ann, text: 'thanks', blocks: [], thread: undefined }])
  assert.deepEqual([shown.text, shown.blocks], ['done x', []])
  assert.ok(server.slack.acknowledged.includes(envelope))
  const wrong: unknown = await web.chat
    .postMessage({ channel: place, text: 'x', blocks: [{ type: 'odd' }] })
    .catch((error: unknown) => error)
  assert.ok(wrong instanceof WebAPIPlatformError && wrong.data.error === 'invalid_blocks')
  await socket.disconnect()
  await server.close()
})

test("Slack's own client sends files as Slack documents it, and is refused as by Slack", async (t) => {
  const server = await startSlack()
  t.after(() => server.close())
  const web = new WebClient(server.tokens.bot, { slackApiUrl: server.url, retryConfig: { retries: 0 } })
  const bytes = Buffer.from([0, 13, 10, 45, 45, 255])
  const uploads = [
    { file: bytes, filename: 'a "b";name=x.bin', title: 'one' },
    { content: 'two', filename: 'b.txt' },
  ]
  await web.filesUploadV2({ channel_id: place, thread_ts: '1700000001.000001', initial_comment: 'both', file_uploads: uploads })
  assert.deepEqual(
    server.shared.map(({ name, title, bytes: kept, channel, thread, comment }) => [
      name,
      title,
      kept.toString('hex'),
      channel,
      thread,
      comment,
    ]),
    [
      ['a "b";name=x.bin', 'one', bytes.toString('hex'), place, '1700000001.000001', 'both'],
      ['b.txt', 'b.txt', Buffer.from('two').toString('hex'), place, '1700000001.000001', 'both'],
    ],
  )
  const refusalOf = async (call: Promise<unknown>): Promise<string> => {
    const error: unknown = await call.catch((refusal: unknown) => refusal)
    assert.ok(error instanceof WebAPIPlatformError, String(error))
    return error.data.error
  }
  const { files } = web
  assert.equal(await refusalOf(files.getUploadURLExternal({ filename: 'x', length: 0 })), 'missing_argument')
  const { upload_url = '', file_id = '' } = await files.getUploadURLExternal({ filename: 'x', length: 3 })
  const complete = (channel_id = place) => files.completeUploadExternal({ files: [{ id: file_id }], channel_id })
  assert.equal(await refusalOf(complete()), 'file_not_found')
  const post = async (body: string) => (await fetch(upload_url, { method: 'POST', body })).status
  assert.deepEqual([await post('of another length'), await post('abc'), await post('abc')], [400, 200, 404])
  assert.equal(await refusalOf(complete('CNOWHERE')), 'channel_not_found')
  assert.equal((await complete()).ok, true)
  assert.equal(await refusalOf(complete()), 'file_not_found')
  server.slack.scopes.delete('files:write')
  assert.equal(await refusalOf(files.getUploadURLExternal({ filename: 'x', length: 3 })), 'missing_scope')
  assert.ok(!(await web.auth.test()).response_metadata?.scopes?.includes('files:write'))
})
