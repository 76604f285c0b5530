// Slack on a whole unit, against a Slack of our own: a question is answered in its thread, and everything else passes unheard.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { ann, me, place, type SlackServer, startSlack } from '@gatehouse/channels/slack-fixture'
import { applyChange } from '../../src/changes.ts'
import { countedBy } from '../../src/channels/counted.ts'
import { request } from '../../src/http.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const patience = 60_000
const tokens = { bot: 'xoxb-canaryOfSlack-theBotOfTheHouse', app: 'xapp-canaryOfSlack-theAppOfTheHouse' }
const toBot = (text: string): string => `<@${me.user_id}> ${text}`

let unit: Unit
let server: SlackServer

before(async () => {
  server = await startSlack(tokens)
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'debug'],
    env: { SLACK_BOT_TOKEN: tokens.bot, SLACK_APP_TOKEN: tokens.app, SLACK_API_URL: server.url },
  })
  await applyChange(unit, { kind: 'permissions', after: { members: [{ channel: 'slack', user: ann }] } })
  await applyChange(unit, { kind: 'wiring', after: { channel: 'slack', address: place, engage: 'mention', session: 'thread' } })
})
after(async () => {
  await unit.dispose()
  await server.close()
})

const answered = (text: string) =>
  waitFor(`the answer ${text}`, patience, () => Promise.resolve(server.posted.find((message) => message.text === text)))

test('who speaks to the bot is answered in the thread of the message', async () => {
  const ts = server.say({ text: toBot('hello') })
  const answer = await answered('echo: hello')
  assert.deepEqual([answer.channel, answer['thread_ts']], [place, ts])
  const [channel] = (await unit.client.channels.list()).items
  assert.deepEqual([channel?.name, channel?.state, channel?.account], ['slack', 'up', `@${me.user} in ${me.team}`])
})

test('a stranger, a place that leads nowhere, a bot and who speaks to others are not answered, and counted', async () => {
  const drops: [string, Parameters<SlackServer['say']>[0]][] = [
    ['stranger', { user: 'U0MALLORY' }],
    ['unwired', { channel: 'C0ELSEWHERE' }],
    ['automatic', { more: { bot_id: 'B2' } }],
    ['unengaged', { text: 'to somebody else' }],
  ]
  for (const [outcome, said] of drops) {
    const earlier = await countedBy(unit, 'slack', outcome)
    server.say({ text: toBot(outcome), ...said })
    await waitFor(`${outcome} to be counted`, patience, async () => (await countedBy(unit, 'slack', outcome)) > earlier)
  }
  server.say({ text: toBot('after them') })
  await answered('echo: after them')
  assert.deepEqual(
    server.posted.map(({ text }) => text).filter((text) => text.startsWith('echo: ')),
    ['echo: hello', 'echo: after them'],
  )
})

test('a killed process of channels hears what came meanwhile, once', async () => {
  process.kill(await unit.pidOf('channels'), 'SIGKILL')
  server.say({ text: toBot('meanwhile') })
  await answered('echo: meanwhile')
  server.say({ text: toBot('afterwards') })
  await answered('echo: afterwards')
  assert.equal(server.posted.filter(({ text }) => text === 'echo: meanwhile').length, 1)
})

test('an answer that Slack has too much of is sent when its pause is over', async () => {
  server.fail('chat.postMessage', { retryAfter: 1 })
  server.say({ text: toBot('slowly') })
  await answered('echo: slowly')
})

test('tokens that are revoked in mid-life are told by the status, and stand nowhere', async () => {
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
  assert.match(channel.reason ?? '', /token_revoked/)
  const check = await request(`${unit.address}/v1/channels/slack/check`, { method: 'POST' })
  assert.deepEqual([check.status, check.json?.['accepted']], [200, false])
  const answers = await Promise.all(['/v1/channels', '/v1/status', '/metrics', '/v1/audit'].map((path) => request(unit.address + path)))
  const printed = [...unit.lines, ...environments, check.text, ...answers.map(({ text }) => text)].join('\n')
  for (const secret of [tokens.bot, tokens.app, 'ticket-']) assert.ok(!printed.includes(secret))
})
