// Telegram on a whole unit, against a Bot API of our own: a question in a topic is answered there, and everything else passes unheard.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { ann, bot, group, startTelegram, type TelegramServer } from '@gatehouse/channels/telegram-fixture'
import { applyChange } from '../../src/changes.ts'
import { countedBy } from '../../src/channels/counted.ts'
import { request } from '../../src/http.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const patience = 60_000
const token = '987654321:canaryOfTelegramCanaryOfTelegram'
const mention = { entities: [{ type: 'mention', offset: 0, length: bot.username.length + 1 }] }
const toBot = (text: string): string => `@${bot.username} ${text}`

let unit: Unit
let server: TelegramServer

before(async () => {
  server = await startTelegram(token)
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'debug'],
    env: { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_URL: server.url },
  })
  const place = { channel: 'telegram', address: String(group.id), engage: 'mention', session: 'thread' }
  await applyChange(unit, { kind: 'permissions', after: { members: [{ channel: 'telegram', user: String(ann.id) }] } })
  await applyChange(unit, { kind: 'wiring', after: place })
})
after(async () => {
  await unit.dispose()
  await server.close()
})

const answered = (text: string) =>
  waitFor(`the answer ${text}`, patience, () => Promise.resolve(server.sent.find((message) => message.text === text)))

test('who speaks to the bot in a topic is answered there', async () => {
  const message_id = server.say({ text: toBot('hello'), more: { ...mention, message_thread_id: 7, is_topic_message: true } })
  const answer = await answered('echo: hello')
  assert.deepEqual([answer.chat_id, answer.message_thread_id, answer.reply_parameters?.message_id], [String(group.id), 7, message_id])
  const [channel] = (await unit.client.channels.list()).items
  assert.deepEqual([channel?.name, channel?.state, channel?.account], ['telegram', 'up', `@${bot.username}`])
})

test('a stranger, a place that leads nowhere, a bot and who speaks to others are not answered, and counted', async () => {
  const drops: [string, Parameters<TelegramServer['say']>[0]][] = [
    ['stranger', { from: { ...ann, id: 666 }, more: mention }],
    ['unwired', { chat: { id: -5, type: 'group' }, more: mention }],
    ['automatic', { from: { ...ann, is_bot: true }, more: mention }],
    ['unengaged', {}],
  ]
  for (const [outcome, said] of drops) {
    const earlier = await countedBy(unit, 'telegram', outcome)
    server.say({ text: toBot(outcome), ...said })
    await waitFor(`${outcome} to be counted`, patience, async () => (await countedBy(unit, 'telegram', outcome)) > earlier)
  }
  server.say({ text: toBot('after them'), more: mention })
  await answered('echo: after them')
  assert.deepEqual(
    server.sent.map(({ text }) => text),
    ['echo: hello', 'echo: after them'],
  )
})

test('a killed process of channels hears what came meanwhile, once', async () => {
  const pid = await unit.pidOf('channels')
  process.kill(pid, 'SIGKILL')
  server.say({ text: toBot('meanwhile'), more: mention })
  await answered('echo: meanwhile')
  assert.equal(server.sent.filter(({ text }) => text === 'echo: meanwhile').length, 1)
})

test('an answer that Telegram has too much of is sent when its pause is over', async () => {
  server.fail('sendMessage', { error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } })
  server.say({ text: toBot('slowly'), more: mention })
  await answered('echo: slowly')
})

test('a token that is revoked in mid-life is told by the status, and stands nowhere', async () => {
  const environments = await Promise.all(
    ['gateway', 'runner', 'control-plane', 'channels'].map(async (name) => {
      const pid = await unit.pidOf(name)
      return `${await readFile(`/proc/${pid}/environ`, 'utf8')}${await readFile(`/proc/${pid}/cmdline`, 'utf8')}`
    }),
  )
  server.state.isRevoked = true
  server.cut()
  const channel = await waitFor('the status to say so', patience, async () => {
    const [found] = (await unit.client.channels.list()).items
    return found?.state === 'refused' ? found : undefined
  })
  assert.match(channel.reason ?? '', /revoked/)
  const check = await request(`${unit.address}/v1/channels/telegram/check`, { method: 'POST' })
  assert.deepEqual([check.status, check.json?.['accepted']], [200, false])
  const answers = await Promise.all(['/v1/channels', '/v1/status', '/metrics', '/v1/audit'].map((path) => request(unit.address + path)))
  const printed = [...unit.lines, ...environments, check.text, ...answers.map(({ text }) => text)].join('\n')
  for (const secret of [token, token.split(':')[1] ?? token]) assert.ok(!printed.includes(secret))
})
