// The channel of Slack against a Slack of our own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ChannelFault } from '../../src/channel.ts'
import { isOfSlack } from '../../src/slack/app.ts'
import { type ReceiveOptions, hearSlack, keptWith as keptIn, outgoing, until } from '../fixtures/listener.ts'
import { failureOf, never } from '../fixtures/sending.ts'
import { ann, me, place, type SlackServer, startSlack } from '@gatehouse/testkit/slack-server'

let server: SlackServer
let options: ReturnType<typeof hearSlack>

const isUp = ({ line }: ReceiveOptions): boolean => line.state.state === 'up'

before(async () => {
  server = await startSlack()
  options = hearSlack(server)
  await until('it to be up', () => isUp(options))
})
after(async () => {
  await options.stop()
  await server.close()
})

const keptWith = (text: string, from: ReceiveOptions = options) => keptIn(from, text)

test('a message comes with its place, its writer and its thread, and is acknowledged', async () => {
  const ts = server.say({ text: 'good &amp; <https://a.example|bright> morning, <@U2|bob> &lt;b&gt;' })
  const message = await keptWith('good & bright (https://a.example) morning, @bob <b>')
  assert.deepEqual(message, {
    id: `${place}:${ts}`,
    address: place,
    thread: ts,
    user: ann,
    mentioned: false,
    automatic: false,
    text: 'good & bright (https://a.example) morning, @bob <b>',
    files: [],
    reference: { ts },
  })
  await until('it to be acknowledged', () => server.slack.open.size === 0)
  assert.equal(options.line.state.account, `@${me.user} in ${me.team}`)
})

test('the bot is spoken to by its name and in private, and not by what merely looks so', async () => {
  const cases: [string, boolean, string | undefined, Parameters<SlackServer['say']>[0]][] = [
    ['one', true, 'own', { text: `<@${me.user_id}> one` }],
    ['two', true, 'own', { text: `<@${me.user_id}|gatehouse>: two` }],
    ['three', true, 'own', { text: 'three', more: { type: 'app_mention' } }],
    ['four', true, undefined, { text: 'four', channel: 'D0000ANN1' }],
    ['five', false, '1699.000001', { text: 'five', more: { thread_ts: '1699.000001' } }],
    [`<@${me.user_id}> six`, false, 'own', { text: `&lt;@${me.user_id}&gt; six` }],
    ['@U9 seven', false, 'own', { text: '<@U9> seven' }],
  ]
  for (const [text, mentioned, thread, said] of cases) {
    const ts = server.say(said)
    const message = await keptWith(text)
    assert.deepEqual([message.mentioned, message.thread], [mentioned, thread === 'own' ? ts : thread], text)
  }
})

test('bots and ourselves are automatic; what tells of changes, other workspaces or has another form passes', async () => {
  server.say({ text: 'of a bot', more: { bot_id: 'B2' } })
  server.say({ text: 'of ourselves', user: me.user_id })
  server.say({ text: 'of an integration', more: { subtype: 'bot_message', user: undefined } })
  for (const text of ['of a bot', 'of ourselves', 'of an integration']) assert.equal((await keptWith(text)).automatic, true, text)
  const before = options.brought.length
  server.say({ text: 'changed', more: { subtype: 'message_changed' } })
  server.say({ text: 'no place', channel: '../x' })
  const event = { type: 'message', channel: place, user: ann, text: 'elsewhere', ts: '1.1' }
  for (const [index, payload] of [null, {}, { type: 'event_callback', team_id: 'T2', event }].entries())
    server.slack.push({ envelope_id: `odd-${index}`, type: 'slash_commands', payload })
  await until('all to be acknowledged', () => server.slack.open.size === 0)
  assert.equal(options.brought.length, before)
})

test('an event that comes twice, by two subscriptions or out of order is one message in its own thread', async () => {
  server.say({ text: 'later', ts: '1700000009.000002' })
  server.say({ text: 'earlier', ts: '1700000009.000001' })
  server.say({ text: 'later', ts: '1700000009.000002', more: { type: 'app_mention' } })
  await until('all to be acknowledged', () => server.slack.open.size === 0)
  const own = options.kept.filter(({ text }) => text === 'later' || text === 'earlier')
  assert.deepEqual(
    own.map(({ text, thread }) => [text, thread]),
    [
      ['later', '1700000009.000002'],
      ['earlier', '1700000009.000001'],
    ],
  )
})

test('what finds no room is not acknowledged, and what could not be kept is tried until it is', async () => {
  options.outcomes.push('busy', undefined)
  server.say({ text: 'no room' })
  server.say({ text: 'kept at last' })
  await keptWith('kept at last')
  await until('the second alone to be acknowledged', () => server.slack.open.size === 1)
  server.refresh()
  await keptWith('no room')
  await until('all to be acknowledged', () => server.slack.open.size === 0)
})

test('a message that is tried again stays before the later ones of its place', async () => {
  options.outcomes.push(undefined)
  server.say({ text: 'first in order' })
  server.say({ text: 'second in order' })
  await keptWith('first in order')
  await keptWith('second in order')
  const order = options.kept.map(({ text }) => text).filter((text) => text.endsWith('in order'))
  assert.deepEqual(order, ['first in order', 'second in order'])
})

test('a connection that Slack ends or that is lost is made anew, and what came meanwhile is heard', async () => {
  server.cut()
  server.say({ text: 'while away' })
  await keptWith('while away')
  await until('it to be up', () => isUp(options))
})

test('an answer goes to its thread as plain text that means nothing to Slack', async () => {
  server.say({ text: 'what is it?' })
  const message = await keptWith('what is it?')
  await options.channel.send(outgoing(message, '*b* <!channel> & <@U1> \ud83d'), never())
  const { ts, ...posted } = server.posted.at(-1) ?? assert.fail()
  assert.match(ts, /^\d+\.\d+$/)
  assert.deepEqual(posted, {
    channel: place,
    thread_ts: message.thread,
    text: '*b* &lt;!channel&gt; &amp; &lt;@U1&gt; \ufffd',
    mrkdwn: 'false',
    parse: 'none',
    link_names: 'false',
    unfurl_links: 'false',
    unfurl_media: 'false',
  })
  await options.channel.send(outgoing(message, '&'.repeat(options.channel.can.length)), never())
})

test('a refusal is waited out as long as it asks, becomes a dead letter, or is tried again, as it deserves', async () => {
  server.say({ text: 'an answer, please' })
  const message = await keptWith('an answer, please')
  const attempt = (answer: Parameters<SlackServer['fail']>[1]) => {
    server.fail('chat.postMessage', answer)
    return failureOf(options.channel.send(outgoing(message, 'x'), never()))
  }
  const limited = await attempt({ retryAfter: 7 })
  assert.deepEqual([limited.kind, limited.after, limited.everywhere], ['later', 7000, true])
  for (const code of ['is_archived', 'not_in_channel', 'channel_not_found']) assert.equal((await attempt(code)).kind, 'never', code)
  for (const answer of ['internal_error', 'cut', 'lost', { status: 500 }] as const)
    assert.equal((await attempt(answer)).kind, 'later', JSON.stringify(answer))
  const revoked = await attempt('token_revoked')
  assert.deepEqual([revoked.kind, revoked.everywhere, (revoked.after ?? 0) >= 60_000], ['later', true, true])
})

test('a file is fetched from Slack alone, and one that is not to be had is no reason to ask again', async () => {
  server.slack.files.set('F1', Buffer.from('contents'))
  const files = ['F1', 'gone'].map((id) => ({ name: `${id}.txt`, size: 8, url_private_download: `${server.filesUrl}${id}` }))
  const elsewhere = [{ name: 'x', url_private_download: 'http://127.0.0.1:9/x' }, { name: 'y' }]
  server.say({ text: 'with files', more: { subtype: 'file_share', files: [...files, ...elsewhere] } })
  const [first, ...others] = (await keptWith('with files')).files
  assert.deepEqual([first?.name, first?.size], ['F1.txt', 8])
  assert.equal(Buffer.from((await first?.read()) ?? []).toString(), 'contents')
  for (const other of others) await assert.rejects(other.read(), { code: 'not-found' }, other.name)
})

test('tokens go to Slack and to the server that was named, to nobody else', () => {
  const slack = new URL('https://slack.com/api/')
  const fine = ['https://slack.com/api/', 'https://files.slack.com/files-pri/T1-F1/a', 'https://wss-primary.slack.com']
  const wrong = [
    'http://files.slack.com/a',
    'https://slack.com.evil.example',
    'https://evilslack.com',
    'https://u@files.slack.com/a',
    'file:///etc',
    '',
  ]
  for (const url of fine) assert.ok(isOfSlack(url, slack), url)
  for (const url of wrong) assert.ok(!isOfSlack(url, slack), url)
  assert.ok(!isOfSlack('https://files.slack.com/a', new URL('https://own.example/api/')))
})

test('tokens that are revoked in mid-life are said so, asked about seldom, and stand in nothing that is printed', async () => {
  const fresh = await startSlack({ bot: 'xoxb-canary-canary-canary-2', app: 'xapp-canary-canary-canary-2' })
  const own = hearSlack(fresh)
  await until('it to be up', () => isUp(own))
  fresh.say({ text: 'what a person wrote' })
  await keptWith('what a person wrote', own)
  fresh.state.isRevoked = true
  fresh.cut()
  await until('it to be refused', () => own.line.state.state === 'refused')
  assert.match(own.line.state.reason ?? '', /token_revoked/)
  const fault: unknown = await own.channel.verify(never()).catch((error: unknown) => error)
  assert.ok(fault instanceof ChannelFault && fault.kind === 'refused')
  own.log.error('all of it', { fault, cause: fault.cause })
  const asked = fresh.calls('auth.test')
  assert.ok(asked < 10, `asked ${asked} times`)
  const printed = [...own.lines, JSON.stringify(own.line.state)].join('\n')
  await own.stop()
  await fresh.close()
  for (const secret of ['canary', 'ticket-', 'what a person wrote']) assert.ok(!printed.includes(secret), secret)
})

test('a wrong kind of token is named, and a server that is not there is away', async () => {
  const { url, tokens, close } = await startSlack()
  const swapped = hearSlack({ url, tokens: { bot: tokens.bot, app: tokens.bot } })
  await until('it to be refused', () => swapped.line.state.state === 'refused')
  assert.match(swapped.line.state.reason ?? '', /xapp-/)
  await swapped.stop()
  await close()
  const gone = hearSlack({ url, tokens })
  await until('it to be down', () => gone.line.state.state === 'down')
  await gone.stop()
  assert.ok(!gone.lines.join('\n').includes('canary'))
})
