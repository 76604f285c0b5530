// Slack on a whole unit, against a Slack of our own: a question is answered in its thread, a held change is decided by a button,
// and everything else passes unheard.
// Profile: rest. Repeats approve.test.ts for another channel; packages/channels tests its wire format.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ann, buttonsOf, me, place, readBlocksText, type Shown, type SlackServer, startSlack } from '@gatehouse/testkit/slack-server'
import { applyChange, settled } from '../../src/changes.ts'
import { mintFor, submit, submitMemory, submitPersona } from '../../src/channels/approvals.ts'
import { countedBy, countOf } from '../../src/channels/counted.ts'
import { layParcels, makeParcel } from '../../src/channels/parcel.ts'
import { readEverything, readProcesses, revokeCredentials } from '../../src/channels/revoked.ts'
import { request } from '../../src/http.ts'
import { runSvcctl } from '../../src/svcctl.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const patience = 60_000
/** Of a change: who waits for its end waits for so long. */
const [life, lifetime] = ['2m', 120_000] as const
const tokens = { bot: 'xoxb-canaryOfSlack-theBotOfTheHouse', app: 'xapp-canaryOfSlack-theAppOfTheHouse' }
const publicUrl = 'https://gatehouse.example.org'
const people = { kim: 'U0000KIM1', lee: 'U0000LEE1', pat: 'U0000PAT1', nobody: 'U0NOBODY1', mallory: 'U0MALLORY' } as const
const toBot = (text: string): string => `<@${me.user_id}> ${text}`

let unit: Unit
let server: SlackServer
/** Of pat, who may approve and asks for something. */
let patsToken: string
/** A card as it stood while it could be decided. */
let waiting: Shown

before(async () => {
  server = await startSlack(tokens)
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'debug', ...(isFull ? ['--change-ttl', life] : [])],
    env: { SLACK_BOT_TOKEN: tokens.bot, SLACK_APP_TOKEN: tokens.app, SLACK_API_URL: server.url, SERVICE_PUBLIC_URL: publicUrl },
  })
  const { kim, lee, pat, nobody } = people
  const members = [ann, kim, lee, pat, nobody].map((user) => ({ channel: 'slack', user }))
  await applyChange(unit, { kind: 'permissions', after: { members } })
  await applyChange(unit, { kind: 'wiring', after: { channel: 'slack', address: place, engage: 'mention', session: 'thread' } })
  const approvers = { role: 'approver', channel: 'slack' } as const
  for (const [name, user] of Object.entries({ kim, lee })) await mintFor(unit, { ...approvers, name, users: [user] })
  patsToken = await mintFor(unit, { ...approvers, name: 'pat', users: [pat] })
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

test('a file that the agent sends follows its text in the thread, whole', async () => {
  const parcel = makeParcel('report.bin')
  const ts = server.say({ text: toBot(await layParcels(unit, { text: 'here it is', parcels: [parcel] })) })
  const file = await waitFor('the file', patience, () => server.shared.find(({ name }) => name === parcel.name))
  assert.deepEqual([file.channel, file.thread, file.comment, file.bytes.equals(parcel.bytes)], [place, ts, undefined, true])
  assert.equal((await answered('here it is'))['thread_ts'], ts)
})

const heard = (part: string, thread: string) =>
  waitFor(`to hear ${part}`, patience, () => server.posted.find((one) => one.text.includes(part) && one['thread_ts'] === thread))

const cardOf = (id: string): Promise<Shown> =>
  waitFor(`the card of ${id}`, patience, () => server.shown.find(({ blocks }) => readBlocksText(blocks).includes(`Change: ${id}`)))

const labels = ({ blocks }: Shown): string[] => buttonsOf(blocks).map(({ text }) => text.text)

/** As it stands in the end. */
const ended = (shown: Shown, verdict: RegExp): Promise<unknown> =>
  waitFor(`the card to say ${verdict}`, patience, () => labels(shown).length === 0 && verdict.test(readBlocksText(shown.blocks)))

/** What that person alone is told next. */
const answerTo = async (person: keyof typeof people, press: () => unknown): Promise<string> => {
  const own = () => server.told.filter(({ user }) => user === people[person])
  const earlier = own().length
  press()
  return (await waitFor(`an answer to ${person}`, patience, () => own()[earlier])).text
}

const state = async (id: string): Promise<string> => (await unit.client.changes.show(id)).state

test('message in, tool refused, request, card, approved by a button, tool works, answer in the thread', async () => {
  const thread = server.say({ text: toBot('tool:sample__echo {"text":"early"}') })
  const more = { thread_ts: thread }
  await heard('refused', thread)
  server.say({ text: toBot('request:mcp_access {"server":"sample","tools":["echo"]}'), more })
  const { text: asked } = await heard('requested mcp_access', thread)
  const id = /chg_\d{14}\.\d{9}/.exec(asked)?.[0] ?? ''
  const card = await cardOf(id)
  assert.deepEqual([card.channel, card.thread, labels(card)], [place, thread, ['Approve', 'Reject']])
  waiting = { ...card }
  const shown = readBlocksText(card.blocks)
  for (const part of [
    /Risk: medium/,
    /sample/,
    /Evidence: [0-9a-f]{16}/,
    /Expires: 20/,
    new RegExp(`Details: ${publicUrl}/ui/changes/${id}`),
  ])
    assert.match(shown, part)
  // Who is not heard there is told nothing.
  const countUnheard = () => countOf(unit, 'card_decisions_total', { channel: 'slack', outcome: 'ignored' })
  const unheard = await countUnheard()
  server.press(card, 'Approve', { user: people.mallory })
  await waitFor('the stranger to be counted', patience, async () => (await countUnheard()) > unheard)
  assert.equal(await state(id), 'held')
  assert.match(await answerTo('kim', () => server.press(card, 'Approve', { user: people.kim, reason: 'it is needed' })), /was approved/)
  await ended(card, new RegExp(`was approved and applied by kim \\(slack ${people.kim}\\)\\.\nit is needed$`))
  await settled(unit, id)
  server.say({ text: toBot('tool:sample__echo {"text":"it works"}'), more })
  await heard('it works', thread)
  const { decisions } = await unit.client.changes.show(id)
  assert.deepEqual(
    decisions.map(({ principal, via, reason }) => [principal, via, reason]),
    [['kim', { channel: 'slack', user: people.kim }, 'it is needed']],
  )
  assert.deepEqual(
    server.told.map(({ user, thread: at }) => [user, at]),
    [[people.kim, thread]],
  )
})

test('who asked for it, who may not decide and who shows an old card are told so alone; a press that comes twice counts once', async () => {
  const reason = 'fine\nRisk: low\n<!channel> <https://evil.example|Approve>'
  const id = await submit(unit, { kind: 'persona', after: { instructions: 'by pat' }, reason, token: patsToken })
  const card = await cardOf(id)
  assert.match(readBlocksText(card.blocks), /\nReason: fine ⏎ Risk: low ⏎ <!channel> <https:\/\/evil\.example\|Approve>\nRisk: medium\n/)
  const own = await answerTo('pat', () => server.press(card, 'Approve', { user: people.pat }))
  assert.match(own, /^Not decided: chg_\S+ was requested by pat, and pat is the same person/)
  const unnamed = await answerTo('nobody', () => server.press(card, 'Approve', { user: people.nobody }))
  assert.match(unnamed, /^Not decided: .* is not an identity of any token/)

  const old = { ...card }
  await applyChange(unit, { kind: 'persona', after: { instructions: 'came between' } })
  assert.match(await answerTo('kim', () => server.press(old, 'Approve', { user: people.kim })), /^Not decided: /)
  assert.equal(await state(id), 'held')
  const values = (shown: Shown) => buttonsOf(shown.blocks).map(({ value }) => value)
  await waitFor('the card to be what it is now', patience, () => values(card).length === 2 && values(card)[0] !== values(old)[0])
  assert.match(await answerTo('kim', () => server.press(old, 'Reject', { user: people.kim })), /changed after it was shown/)

  const present = { ...card }
  for (const _ of [1, 2]) assert.match(await answerTo('kim', () => server.press(present, 'Approve', { user: people.kim })), /was approved/)
  await ended(card, /was approved and applied by kim/)
  assert.match(await answerTo('lee', () => server.press(present, 'Reject', { user: people.lee })), /^Not decided: .*approved/)
  assert.equal((await unit.client.changes.show(id)).decisions.length, 1)
})

test('of high risk a card has no button, and a press that somebody makes up decides nothing', async () => {
  const high = await submitMemory(unit)
  const card = await cardOf(high)
  assert.deepEqual(labels(card), [])
  assert.match(readBlocksText(card.blocks), new RegExp(`High risk: decide it in the console or with svcctl change show ${high}\\.$`))
  const { digest } = await unit.client.changes.show(high)
  const [button] = buttonsOf(waiting.blocks)
  const actions = [{ ...button, action_ts: '1.1', value: JSON.stringify({ change: high, digest }) }]
  const answer = await answerTo('kim', () => server.press(waiting, 'Approve', { user: people.kim, more: { actions } }))
  assert.match(answer, /^Not decided: .* is high risk/)
  assert.equal(await state(high), 'held')
})

test('a stranger, a place that leads nowhere, a bot and who speaks to others are not answered, and counted', async () => {
  const drops: [string, Parameters<SlackServer['say']>[0]][] = [
    ['not_member', { user: 'U0MALLORY' }],
    ['not_routed', { channel: 'C0ELSEWHERE' }],
    ['automatic', { more: { bot_id: 'B2' } }],
    ['not_addressed', { text: 'to somebody else' }],
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

test('a killed process of channels hears what came meanwhile, once, and its cards say what was decided elsewhere', async () => {
  const id = await submitPersona(unit, 'elsewhere')
  const card = await cardOf(id)
  // One that is posted and not noted would be posted again.
  const countPosted = () => countOf(unit, 'cards_total', { channel: 'slack', outcome: 'posted' })
  await waitFor('every card to be noted', patience, async () => (await countPosted()) >= server.shown.length)
  process.kill(await unit.pidOf('channels'), 'SIGKILL')
  server.say({ text: toBot('meanwhile') })
  const args = ['change', 'reject', id, '--by', 'alice', '--reason', 'not <today>']
  const { code, stderr } = await runSvcctl(args, { address: unit.address, home: unit.stateDir })
  assert.equal(code, 0, stderr)
  await answered('echo: meanwhile')
  server.say({ text: toBot('afterwards') })
  await answered('echo: afterwards')
  assert.equal(server.posted.filter(({ text }) => text === 'echo: meanwhile').length, 1)
  await ended(card, /was rejected.*\nnot <today>$/)
  assert.equal(server.shown.filter(({ blocks }) => readBlocksText(blocks).includes(`Change: ${id}`)).length, 1)
})

test('an answer that Slack has too much of is sent when its pause is over', async () => {
  server.fail('chat.postMessage', { retryAfter: 1 })
  server.say({ text: toBot('slowly') })
  await answered('echo: slowly')
})

if (isFull) {
  test(
    'who waits too long is reminded twice in the thread of the card, and it says that it expired',
    { timeout: lifetime * 3 },
    async () => {
      const card = await cardOf(await submitPersona(unit, 'slow'))
      await waitFor('it to expire', lifetime * 2, () => readBlocksText(card.blocks).includes('expired without a decision'))
      assert.deepEqual(labels(card), [])
      const reminders = server.shown.filter(({ thread, ts }) => thread === card.ts && ts !== card.ts)
      assert.equal(reminders.length, 2)
      for (const { blocks } of reminders)
        assert.match(readBlocksText(blocks), new RegExp(`^@${people.kim} @${people.lee} @${people.pat} \nStill pending, expires 20`))
    },
  )
}

test('tokens that are revoked in mid-life are told by the status, and stand nowhere', async () => {
  const environments = await readProcesses(unit)
  const channel = await revokeCredentials(unit, server, patience)
  assert.match(channel.reason ?? '', /token_revoked/)
  const check = await request(`${unit.address}/v1/channels/slack/check`, { method: 'POST' })
  assert.deepEqual([check.status, check.json?.['accepted']], [200, false])
  const printed = [...(await readEverything(unit)), ...environments, check.text].join('\n')
  for (const secret of [tokens.bot, tokens.app, 'ticket-']) assert.ok(!printed.includes(secret))
})
