// The how-tos about channels, followed word for word against services of our own and real mail servers: somebody writes, and is answered.
// Profile: rest. Follows long pages with real mail servers; README and tutorial are in the default profile.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { ann, me, place, startSlack } from '@gatehouse/testkit/slack-server'
import { ann as annOfTelegram, bot, group, startTelegram } from '@gatehouse/testkit/telegram-server'
import { createClient } from '@gatehouse/client'
import { submitPersona } from '../../src/channels/approvals.ts'
import { countedBy } from '../../src/channels/counted.ts'
import { addressOf } from '../../src/channels/letters.ts'
import { lackingMailServers, startMailServers } from '../../src/channels/mail-servers.ts'
import { sendWebhook, startReceiver } from '../../src/channels/webhook.ts'
import { follow } from '../../src/documents/follow.ts'
import { removeState } from '../../src/remove-state.ts'
import { freshDirectory } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const patience = 60_000
const timeout = 180_000
const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const skip = await lackingMailServers()

/** A unit for trials, whose agents are plain processes. */
const trial = { SERVICE_DEV: '1', SERVICE_SANDBOX: 'none' }

const directoryWith = async (t: TestContext, secrets: Readonly<Record<string, string>> = {}): Promise<string> => {
  const directory = await freshDirectory()
  t.after(() => removeState(directory))
  await mkdir(directory, { recursive: true })
  for (const [name, value] of Object.entries(secrets)) await writeFile(join(directory, name), value, { mode: 0o600 })
  return directory
}

test('a program signs messages as its page says and is answered, and a card is approved as the next page says', { timeout }, async (t) => {
  const directory = await directoryWith(t)
  const secret = (): string => readFileSync(join(directory, 'webhook.secret'), 'utf8').trim()
  const receiver = await startReceiver(secret)
  t.after(receiver.close)
  const reading = { directory, env: trial, places: { 'https://ops.example.org/answers': receiver.url('answers') } }
  await follow('docs/how-to/channel-webhook.md', reading, async (address) => {
    const answer = await waitFor('the answer', patience, () => receiver.heard[0])
    assert.deepEqual([answer.text, answer.thread], ['echo: disk of db-3 is full', 'incident-17'])

    const places = { 'https://ops.example.org/hooks/agents': receiver.url('hooks'), '--group ops-agent': '--group dev-agent' }
    await follow('docs/how-to/approve-from-a-channel.md', { address, directory, places })
    const client = createClient({ address })
    const wish = { kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'Be brief.' } }
    const { id } = await client.changes.submit(wish)
    const card = await waitFor('a card', patience, () => receiver.cards.find((one) => one.card.changeID === id))
    const word = { address: receiver.url('hooks'), user: 'kim', text: card.answers?.approve ?? '' }
    assert.equal((await sendWebhook({ address }, word, { secret: secret() })).status, 202)
    await waitFor('it to be applied', patience, async () => (await client.changes.show(id)).state === 'applied')
    const { decisions } = await client.changes.show(id)
    assert.deepEqual(
      decisions.map(({ principal, via }) => [principal, via?.user]),
      [['kim', 'kim']],
    )
    assert.equal(receiver.state.forged, 0)
  })
})

const slack = async (t: TestContext): Promise<void> => {
  const tokens = { bot: 'xoxb-ofThePage-theBotOfTheHouse', app: 'xapp-ofThePage-theAppOfTheHouse' }
  const directory = await directoryWith(t, { 'slack-bot': tokens.bot, 'slack-app': tokens.app })
  const server = await startSlack(tokens)
  t.after(server.close)
  const places = { '/run/secrets': directory, '--group ops': '--group dev-agent', C012345: place, U012345: ann }
  await follow('docs/how-to/channel-slack.md', { env: { ...trial, SLACK_API_URL: server.url }, places }, async () => {
    const ts = server.say({ text: `<@${me.user_id}> hello` })
    const answer = await waitFor('the answer', patience, () => server.posted.find(({ text }) => text === 'echo: hello'))
    assert.deepEqual([answer.channel, answer['thread_ts']], [place, ts])
  })
}

const telegram = async (t: TestContext): Promise<void> => {
  const token = '987654321:ofThePageOfThePageOfThePage'
  const directory = await directoryWith(t, { telegram: token })
  const server = await startTelegram(token)
  t.after(server.close)
  const places = {
    '/run/secrets': directory,
    '--group ops': '--group dev-agent',
    '-1001234567890': String(group.id),
    '4000001': String(annOfTelegram.id),
  }
  await follow('docs/how-to/channel-telegram.md', { env: { ...trial, TELEGRAM_API_URL: server.url }, places }, async (address) => {
    const entities = [{ type: 'mention', offset: 0, length: bot.username.length + 1 }]
    server.say({ text: `@${bot.username} hello`, more: { entities } })
    await waitFor('the answer', patience, () => server.sent.find(({ text }) => text === 'echo: hello'))
    const id = await submitPersona({ address }, 'Be brief.')
    const card = await waitFor('a card', patience, () => server.standing().find(({ text }) => text.includes(`Change: ${id}`)))
    server.press({ message: card, data: card.reply_markup?.inline_keyboard[0]?.[0]?.callback_data ?? '' })
    await waitFor('the press to count', patience, () =>
      server.standing().find(({ text }) => text.includes('was approved and applied by kim')),
    )
  })
}

const email = async (t: TestContext): Promise<void> => {
  const mail = await startMailServers()
  t.after(mail.close)
  const { EMAIL_IMAP_URL, EMAIL_SMTP_URL, SERVICE_CA_FILE } = mail.env
  const directory = await directoryWith(t)
  const authorities = join(directory, 'authorities.pem')
  await writeFile(authorities, readFileSync(SERVICE_CA_FILE))
  await chmod(authorities, 0o644)
  const places = {
    'imaps://agents:PASSWORD@mail.example.org/INBOX?authserv-id=mx.example.org': EMAIL_IMAP_URL,
    'smtps://agents:PASSWORD@mail.example.org': EMAIL_SMTP_URL,
    // The server of the test speaks TLS from the first byte.
    'smtp://mail.example.org': `smtps://${new URL(EMAIL_SMTP_URL).host}`,
    'mx.example.org': 'mx.test',
    'agents@example.org': addressOf('agents'),
    'ann@example.org': addressOf('ann'),
  }
  const env = { ...trial, SERVICE_CA_FILE, CURL_CA_BUNDLE: authorities }
  await follow('docs/how-to/channel-email.md', { directory, env, places }, async (address) => {
    await waitFor('the forged letter to be counted', patience, async () => (await countedBy({ address }, 'email', 'unauthenticated')) === 1)
    await mail.send(`From: Ann <${addressOf('ann')}>\r\nTo: ${addressOf('agents')}\r\nMessage-ID: <a@example.test>\r\n\r\nhello\r\n`, {
      as: 'ann',
    })
    await waitFor('the answer', patience, async () => (await mail.letters('ann')).find(({ text }) => text.includes('echo: hello')))
  })
}

// In the fast profile each of these channels has tests of its own, on units that are set up by the API.
if (isFull) {
  test('people talk to an agent in Slack as the page says', { timeout }, slack)
  test('people talk to an agent in Telegram as the page says', { timeout }, telegram)
  test('people talk to an agent by e-mail as the page says, and the forged letter of the page is not heard', { skip, timeout }, email)
}
