// Files to Slack: three requests, each of which may fail, and what is told of it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'
import { createLogger, silentLogger } from '@gatehouse/kernel'
import type { Outgoing, OutgoingFile, SendFailure } from '../../src/channel.ts'
import { createSlack } from '../../src/slack/slack.ts'
import { outgoing, way } from '../fixtures/listener.ts'
import { bytesOfFile, failureOf, fileNamed, never } from '../fixtures/sending.ts'
import { place, type SlackServer, startSlack } from '@gatehouse/testkit/slack-server'
import { loadWeakened } from '../fixtures/weakened.ts'

const thread = '1699999999.000001'

let server: SlackServer
let slack: ReturnType<typeof createSlack>

const slackOf = (make: typeof createSlack, { url, tokens }: SlackServer = server) =>
  make({ credentials: { botToken: tokens.bot, appToken: tokens.app, url }, ...way, log: silentLogger })

before(async () => {
  server = await startSlack()
  slack = slackOf(createSlack)
})
after(async () => {
  await slack.close()
  await server.close()
})

const send = (file: OutgoingFile = fileNamed('report.bin'), to: Partial<Outgoing> = {}) =>
  slack.send(outgoing({ address: place, thread, reference: {} }, '', { files: [file], ...to }), never())

test('a file is shown in its thread under its name, whole, without a word and without a token beside its bytes', async () => {
  const posted = server.posted.length
  const names = ['report.bin', 'a "b";name=x & <c>.txt', 'Prüfbericht 📄.pdf', '\ud83d.txt']
  for (const name of names) assert.equal(await send(fileNamed(name)), 'sent')
  await send(fileNamed('private.txt'), { address: 'D0000ANN1', thread: undefined })
  const shown = names.map((name) => name.toWellFormed())
  assert.deepEqual(
    server.shared.map(({ name, title, channel, thread: at, comment }) => [name, title, channel, at, comment]),
    [...shown.map((name) => [name, name, place, thread, undefined]), ['private.txt', 'private.txt', 'D0000ANN1', undefined, undefined]],
  )
  assert.ok(server.shared.every(({ bytes }) => bytes.equals(bytesOfFile)))
  assert.deepEqual([server.calls('upload'), server.calls('upload with a token'), server.posted.length - posted], [5, 0, 0])
})

const [begin, complete] = ['files.getUploadURLExternal', 'files.completeUploadExternal']

const troubles: readonly (readonly [string, Parameters<SlackServer['fail']>[1], SendFailure['kind'], RegExp])[] = [
  [begin, 'file_uploads_disabled', 'never', /does not allow files$/],
  [begin, 'file_type_not_allowed', 'never', /this file type/],
  [begin, 'storage_limit_reached', 'never', /no storage left/],
  [begin, 'internal_error', 'later', /did not accept/],
  [begin, 'cut', 'later', /did not accept/],
  [begin, { status: 500 }, 'later', /did not accept/],
  ['upload', { status: 413 }, 'never', /too large/],
  ['upload', { status: 400 }, 'later', /did not accept/],
  ['upload', { status: 302 }, 'later', /did not accept/],
  ['upload', { status: 503 }, 'later', /did not accept/],
  ['upload', 'cut', 'later', /did not accept/],
  ['upload', 'lost', 'later', /did not accept/],
  [complete, 'is_archived', 'never', /archived/],
  [complete, 'posting_to_channel_denied', 'never', /does not allow the bot/],
  [complete, 'file_not_found', 'later', /did not accept/],
  [complete, 'cut', 'later', /did not accept/],
]

test('whichever request fails nothing is shown, it is tried again or given up as it deserves, and the next file goes', async () => {
  for (const [method, answer, kind, reason] of troubles) {
    const name = `${method} ${JSON.stringify(answer)}`
    const shown = server.shared.length
    server.fail(method, answer)
    const failure = await failureOf(send())
    assert.deepEqual([failure.kind, failure.everywhere], [kind, false], name)
    assert.match(failure.message, reason, name)
    assert.equal(server.shared.length, shown, name)
    await send()
    assert.equal(server.shared.length, shown + 1, name)
  }
})

test('a pause that any of the three requests is answered with is kept everywhere', async () => {
  for (const method of [begin, 'upload', complete]) {
    server.fail(method, { retryAfter: 7 })
    const { kind, after: pause, everywhere } = await failureOf(send())
    assert.deepEqual([kind, pause, everywhere], ['later', 7000, true], method)
  }
})

test('a file that was shown without an answer is shown a second time, and a place that is not there is given up', async () => {
  const shown = server.shared.length
  server.fail(complete, 'lost')
  assert.equal((await failureOf(send())).kind, 'later')
  await send()
  assert.equal(server.shared.length, shown + 2)
  assert.equal((await failureOf(send(undefined, { address: 'CNOWHERE' }))).kind, 'never')
})

test('a permission that lacks is named in the dead letter and by the check, and messages go on', async (t) => {
  t.after(() => server.slack.scopes.add('files:write'))
  assert.equal((await slack.verify(never())).detail, undefined)
  server.slack.scopes.delete('files:write')
  const { kind, message } = await failureOf(send())
  assert.deepEqual([kind, message], ['never', 'the app is missing the permission files:write: add it and reinstall the app'])
  assert.match((await slack.verify(never())).detail ?? '', /but not files: the app is missing the permission files:write/)
  assert.equal(await slack.send(outgoing({ address: place, thread, reference: {} }, 'a word'), never()), 'sent')
})

test('a token that is revoked holds the file, and nothing that is told of a trouble names a url, a token or what is in the file', async () => {
  const fresh = await startSlack({ bot: 'xoxb-canary-canary-canary-3', app: 'xapp-canary-canary-canary-3' })
  const own = slackOf(createSlack, fresh)
  const lines: string[] = []
  const log = createLogger({ process: 'channels', level: 'debug', write: (text) => void lines.push(text) })
  const attempt = async (): Promise<SendFailure> => {
    const message = outgoing({ address: place, thread, reference: {} }, '', { files: [fileNamed('x', Buffer.from('canary of a file'))] })
    const failure = await failureOf(own.send(message, never()))
    log.error('all of it', { failure, cause: failure.cause })
    return failure
  }
  for (const method of [begin, 'upload', complete])
    for (const answer of ['cut', { status: 500 }, { retryAfter: 1 }] as const) {
      fresh.fail(method, answer)
      await attempt()
    }
  fresh.state.isRevoked = true
  const { kind, everywhere, after: pause = 0 } = await attempt()
  assert.deepEqual([kind, everywhere, pause >= 60_000], ['later', true, true])
  await own.close()
  await fresh.close()
  for (const secret of ['canary', '/upload/', 'F0FILE']) assert.ok(!lines.join('\n').includes(secret), secret)
})

/** Counts the bytes that come to a host that is not Slack's. */
const startStranger = async (t: TestContext) => {
  let bytes = 0
  const stranger = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (bytes += chunk.length))
    request.on('end', () => response.end('OK'))
  })
  stranger.listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  t.after(() => {
    stranger.closeAllConnections()
    stranger.close()
    server.uploads.url = undefined
  })
  server.uploads.url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/upload/v1`
  return () => bytes
}

test('no byte of a file goes to a host that is not of Slack, whatever url is named for it', async (t) => {
  const came = await startStranger(t)
  const first = await failureOf(send())
  assert.deepEqual([first.kind, first.message], ['never', 'Slack returned an upload URL of another host'])
  for (const url of ['https://169.254.169.254/x', 'file:///etc', 'https://slack.com.evil.example/x']) {
    server.uploads.url = url
    assert.equal((await failureOf(send())).kind, 'never', url)
  }
  server.uploads.url = 'no url'
  assert.equal((await failureOf(send())).kind, 'later')
  assert.equal(came(), 0)
})

test('the look at the host is there for a reason: without it the bytes go where a false answer sends them', async (t) => {
  const came = await startStranger(t)
  const weak = await loadWeakened<{ createSlack: typeof createSlack }>(t, 'slack/slack.ts', {
    file: 'slack/app.ts',
    from: 'if (!isOfSlack(url.href, new URL(credentials.url))) throw',
    to: "if (credentials.url === '') throw",
  })
  const own = slackOf(weak.createSlack)
  await own.send(outgoing({ address: place, thread, reference: {} }, '', { files: [fileNamed('x')] }), never()).catch(() => undefined)
  await own.close()
  assert.equal(came(), bytesOfFile.length)
})
