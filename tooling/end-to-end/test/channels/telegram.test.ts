// Telegram on a whole unit, against a Bot API of our own: a question in a topic is answered there, everything else passes unheard,
// and a change that waits has buttons which count for who may press them.
// Profile: rest. Repeats approve.test.ts for another channel; packages/channels tests its wire format.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ann, bot, group, startTelegram, type TelegramServer } from '@gatehouse/testkit/telegram-server'
import { applyChange, settled } from '../../src/changes.ts'
import { mintFor, submit, submitMemory } from '../../src/channels/approvals.ts'
import { countedBy } from '../../src/channels/counted.ts'
import { layParcels, makeParcel } from '../../src/channels/parcel.ts'
import { readEverything, readProcesses, revokeCredentials } from '../../src/channels/revoked.ts'
import { request } from '../../src/http.ts'
import { killAndWait } from '../../src/kill-and-wait.ts'
import { runSvcctl } from '../../src/svcctl.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const patience = 60_000
const token = '987654321:canaryOfTelegramCanaryOfTelegram'
const mention = { entities: [{ type: 'mention', offset: 0, length: bot.username.length + 1 }] }
const publicUrl = 'https://gatehouse.example.org'
const toBot = (text: string): string => `@${bot.username} ${text}`

const team = { id: -1_001_234_567_998, type: 'supergroup' } as const
/** Here another group of agents has its cards. Each place takes 20 messages a minute. */
const desk = { id: -1_001_234_567_999, type: 'supergroup' } as const
const person = (id: number) => ({ ...ann, id })
const [kim, lee, nobody] = [person(4_000_002), person(4_000_003), person(4_000_004)]
const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const rounds = 12

let unit: Unit
let server: TelegramServer
let kims: string

const mint = (name: string, role: 'approver' | 'requester', { id }: { id: number }): Promise<string> =>
  mintFor(unit, { name, role, channel: 'telegram', users: [String(id)] })

before(async () => {
  server = await startTelegram(token)
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'debug'],
    env: { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_URL: server.url, SERVICE_PUBLIC_URL: publicUrl },
  })
  const place = { channel: 'telegram', address: String(group.id), engage: 'mention', session: 'thread' }
  const members = [ann, kim, lee, nobody].map(({ id }) => ({ channel: 'telegram', user: String(id) }))
  await applyChange(unit, { kind: 'permissions', after: { members } })
  await applyChange(unit, { kind: 'wiring', after: place })
  await applyChange(unit, { kind: 'wiring', after: { ...place, address: String(team.id) } })
  await applyChange(unit, { kind: 'agent_create', after: { id: 'desk', name: 'Desk', agent: 'mock' }, group: 'desk' })
  await applyChange(unit, { kind: 'wiring', after: { ...place, address: String(desk.id) }, group: 'desk' })
  for (const { id } of [group, team, desk]) server.telegram.chats.add(String(id))
  kims = await mint('kim', 'approver', kim)
  await mint('lee', 'approver', lee)
  await mint('ann', 'requester', ann)
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
    ['not_member', { from: { ...ann, id: 666 }, more: mention }],
    ['not_routed', { chat: { id: -5, type: 'group' }, more: mention }],
    ['automatic', { from: { ...ann, is_bot: true }, more: mention }],
    ['not_addressed', {}],
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

test('a file that the agent sends follows its text in the topic, whole', async () => {
  const parcel = makeParcel('report.bin')
  const topic = { message_thread_id: 9, is_topic_message: true }
  const order = await layParcels(unit, { text: 'here it is', parcels: [parcel] })
  server.say({ chat: team, text: toBot(order), more: { ...mention, ...topic } })
  const { document, ...sent } = await waitFor('the file', patience, () => server.documents[0])
  assert.ok(typeof document === 'object' && document.bytes.equals(parcel.bytes))
  assert.deepEqual([document.name, sent.chat_id, sent.message_thread_id], [parcel.name, String(team.id), 9])
  assert.equal((await answered('here it is')).message_thread_id, 9)
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

type Standing = ReturnType<TelegramServer['standing']>[number]

const buttonsOf = ({ reply_markup }: Standing) => (reply_markup?.inline_keyboard ?? []).flat()
const dataOf = (card: Standing, text = 'Approve'): string => buttonsOf(card).find((button) => button.text === text)?.callback_data ?? ''

const cardOf = (id: string, at: { readonly id: number }, fits: (card: Standing) => boolean = () => true): Promise<Standing> =>
  waitFor(`a card of ${id}`, patience, () =>
    server.standing().find((card) => card.chat_id === String(at.id) && card.text.includes(`Change: ${id}`) && fits(card)),
  )

const says = (words: RegExp) => (card: Standing) => words.test(card.text)

/** What is told to who pressed: who hears that it is not known what came of it presses again, as it says. */
const toldTo = (from: object, card: Standing, data = dataOf(card)): Promise<string> =>
  waitFor('to be told what came of a press', patience, async () => {
    const id = server.press({ message: card, data, from })
    const { text = 'nothing' } = await waitFor('the press to be answered', patience, () => server.told(id))
    return text.startsWith('Decision outcome unknown') ? undefined : text
  })

const state = async (id: string): Promise<string> => (await unit.client.changes.show(id)).state
const decidersOf = async (id: string) => (await unit.client.changes.show(id)).decisions.map(({ principal, via }) => [principal, via?.user])

test('message in, tool refused, request, card, a press of who may decide, tool works, answer in the topic', async () => {
  const topic = { message_thread_id: 9, is_topic_message: true }
  const ask = (text: string): number => server.say({ chat: team, text: toBot(text), more: { ...mention, ...topic } })
  const heard = (part: string) =>
    waitFor(`to hear ${part}`, patience, () => server.sent.find((one) => one.text.includes(part) && one.message_thread_id === 9))
  ask('tool:sample__echo {"text":"early"}')
  await heard('refused')
  ask('request:mcp_access {"server":"sample","tools":["echo"]}')
  const id = /chg_\S+/.exec((await heard('requested mcp_access')).text)?.[0] ?? ''
  const card = await cardOf(id, team)
  const elsewhere = await cardOf(id, group)
  assert.deepEqual([card.message_thread_id, elsewhere.message_thread_id], [9, undefined])
  assert.deepEqual(
    buttonsOf(card).map(({ text }) => text),
    ['Approve', 'Reject'],
  )
  assert.match(card.text, /Risk: medium\n(.*\n)*Evidence: (.*\n)*Digest: [0-9a-f]{16}\n(.*\n)*Expires: /)
  assert.ok(card.text.endsWith(`\nDetails: ${publicUrl}/ui/changes/${id}`))
  const refusals: [object, string, RegExp][] = [
    [person(666), dataOf(card), /^nothing$/],
    [nobody, dataOf(card), /^Not decided: .* is not an identity of any token/],
    [ann, dataOf(card), /^Not decided: decide needs the role approver or higher/],
    [kim, dataOf(card).replace(/:.*/, `:${'0'.repeat(32)}`), /^Not decided: .* changed after it was shown/],
  ]
  for (const [from, data, expected] of refusals) assert.match(await toldTo(from, card, data), expected)
  assert.equal(await state(id), 'held')
  const [approve, reject] = [dataOf(card), dataOf(card, 'Reject')]
  const killed = killAndWait(unit, 'channels', patience)
  for (const time of [1, 2]) assert.match(await toldTo(kim, card, approve), /was approved and .* by kim/, `time ${time}`)
  await killed
  assert.match(await toldTo(lee, card, reject), /^Not decided: .* was approved by/)
  for (const place of [team, group])
    assert.deepEqual(buttonsOf(await cardOf(id, place, says(/was approved and applied by kim \(telegram 4000002\)/))), [])
  assert.deepEqual(await decidersOf(id), [['kim', String(kim.id)]])
  await settled(unit, id)
  ask('tool:sample__echo {"text":"it works"}')
  await waitFor('the tool to work', patience, () =>
    server.sent.find(({ text, message_thread_id }) => text === 'it works' && message_thread_id === 9),
  )
})

test('nobody presses for its own change, a card that moved is pressed anew, and one that was decided elsewhere loses its buttons', async () => {
  const persona = (instructions: string) => ({ kind: 'persona', after: { instructions }, group: 'desk' })
  const id = await submit(unit, { ...persona('of kim'), token: kims })
  const first = await cardOf(id, desk)
  assert.match(await toldTo(kim, first), /^Not decided: chg_\S+ was requested by kim, and kim is the same person/)
  await applyChange(unit, persona('came between'))
  assert.match(await toldTo(lee, first), /^Not decided: /)
  const second = await cardOf(id, desk, (card) => dataOf(card) !== dataOf(first))
  assert.match(await toldTo(lee, second, dataOf(first)), /^Not decided: .* changed after it was shown/)
  assert.equal(await state(id), 'held')
  const { digest } = await unit.client.changes.show(id)
  const approve = ['change', 'approve', id, '--digest', digest, '--by', 'pat']
  const { code, stderr } = await runSvcctl(approve, { address: unit.address, home: unit.stateDir })
  assert.equal(code, 0, stderr)
  assert.deepEqual(buttonsOf(await cardOf(id, desk, says(/was approved and applied by /))), [])
})

test('what is of high risk has no button, and a press that pretends to one decides nothing', async () => {
  const id = await submitMemory(unit)
  const card = await cardOf(id, team)
  assert.deepEqual(buttonsOf(card), [])
  assert.match(card.text, /High risk: decide it in the console or with svcctl/)
  const { digest } = await unit.client.changes.show(id)
  const told = await toldTo(lee, card, `a${id.slice('chg_'.length)}:${digest.slice(0, 32)}`)
  assert.match(told, /^Not decided: .* is high risk/)
  assert.equal(await state(id), 'held')
})

if (isFull) {
  test(`${rounds} presses while channels or gateway are killed: each counts once`, { timeout: patience * rounds }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const id = await submit(unit, { kind: 'persona', after: { instructions: `round ${round}` }, group: 'desk' })
      const card = await cardOf(id, desk)
      const isApproved = round % 4 < 2
      const killed = killAndWait(unit, round % 2 === 0 ? 'channels' : 'gateway', patience)
      const data = dataOf(card, isApproved ? 'Approve' : 'Reject')
      server.press({ message: card, data, from: lee })
      await killed
      await toldTo(lee, card, data)
      await cardOf(id, desk, says(isApproved ? /was approved and applied by lee/ : /was rejected by lee/))
      assert.deepEqual(await decidersOf(id), [['lee', String(lee.id)]])
    }
  })
}

test('a token that is revoked in mid-life is told by the status, and stands nowhere', async () => {
  const environments = await readProcesses(unit)
  const channel = await revokeCredentials(unit, server, patience)
  assert.match(channel.reason ?? '', /revoked/)
  // Whoever was killed before may not be back yet.
  const check = await waitFor('an answer to the check', patience, async () => {
    const answer = await request(`${unit.address}/v1/channels/telegram/check`, { method: 'POST' })
    return answer.status === 503 ? undefined : answer
  })
  assert.deepEqual([check.status, check.json?.['accepted']], [200, false])
  const printed = [...(await readEverything(unit)), ...environments, check.text].join('\n')
  for (const secret of [token, token.split(':')[1] ?? token]) assert.ok(!printed.includes(secret))
})
