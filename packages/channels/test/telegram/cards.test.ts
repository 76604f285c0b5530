// Cards with buttons in Telegram, against a Bot API of our own: how they stand, how they move, and what a press carries.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { reminderOf } from '../../src/cards/texts.ts'
import type { Cards, ShownCard } from '../../src/channel.ts'
import { approvedBy, cardWith, digestOf, placeWith } from '../fixtures/card.ts'
import { hearTelegram, outgoing, until } from '../fixtures/listener.ts'
import { failureOf, never } from '../fixtures/sending.ts'
import type { Standing } from '@gatehouse/testkit/telegram-api'
import { findIn } from '@gatehouse/testkit/telegram-entities'
import { ann, bot, group, startTelegram, type TelegramServer } from '@gatehouse/testkit/telegram-server'

let server: TelegramServer
let options: ReturnType<typeof hearTelegram>
let cards: Required<Cards>

before(async () => {
  server = await startTelegram()
  server.telegram.chats.add(String(group.id))
  options = hearTelegram(server)
  const { post, update, remind } = options.channel.cards ?? assert.fail()
  cards = { post, update, remind: remind ?? assert.fail() }
})
after(async () => {
  await options.stop()
  await server.close()
})

const place = placeWith(String(group.id))
const kim = { id: 4_000_002, is_bot: false, first_name: 'Kim' }
const end = approvedBy({ channel: 'telegram', user: String(kim.id) })

const postIt = async (card: ShownCard, more: Parameters<typeof placeWith>[1] = {}) => {
  const posted = await cards.post({ id: 'msg_1', card, place: placeWith(String(group.id), more) }, never())
  const standing = (): Standing => server.standing().find(({ message_id }) => message_id === posted['message']) ?? assert.fail()
  return { posted, standing }
}

const buttonsOf = ({ reply_markup }: Standing) => (reply_markup?.inline_keyboard ?? []).flat()
const dataOf = (standing: Standing, text: string): string =>
  buttonsOf(standing).find((button) => button.text === text)?.callback_data ?? assert.fail(`no button ${text}`)

const toldOf = async (id: string) => {
  await until('the press to be answered', () => server.told(id) !== undefined)
  return server.told(id) ?? assert.fail()
}

test('a card says what is asked, by whom, how it was judged, until when, and has two buttons', async () => {
  const { standing } = await postIt(cardWith({ reason: 'the build is red', afterToolOutput: true, approvals: { needed: 2, given: 0 } }))
  const { text, parse_mode, link_preview_options } = standing()
  assert.deepEqual(text.split('\n'), [
    'Change to ops-agent needs a decision (mcp_access)',
    'Give ops-agent the tools echo of sample',
    'Requested by: the agent of ops-agent',
    'Reason: the build is red',
    'Risk: medium',
    'The agent had read tool output before it requested this.',
    'Evidence: none',
    'Digest: 3f2a9c1b77d0e4a5',
    'Approvals: 0 of 2',
    'Change: chg_20261122125301.123000000',
    'Expires: 2026-11-23T12:53:01.123Z',
    'Details: https://gatehouse.example.org/ui/changes/chg_20261122125301.123000000',
  ])
  assert.deepEqual([parse_mode, link_preview_options], [undefined, { is_disabled: true }])
  assert.deepEqual(
    buttonsOf(standing()).map((button) => [button.text, button.callback_data]),
    [
      ['Approve', `a20261122125301.123000000:3f2a9c1b77d0e4a5${'c'.repeat(16)}`],
      ['Reject', `r20261122125301.123000000:3f2a9c1b77d0e4a5${'c'.repeat(16)}`],
    ],
  )
})

test('whatever an agent wrote is no link, calls nobody and is no command: it stands in a block, and the rest around it', async () => {
  const summary = 'See https://evil.example/ui and ask @admin to /approve 𝒳'
  const card = cardWith({ summary, reason: `@everyone ${'é'.repeat(900)}`, requestedBy: '<b>@owner</b>' })
  const { posted, standing } = await postIt(card)
  const { text, entities = [], found } = standing()
  const [{ type, offset, length } = assert.fail(), ...others] = entities
  assert.deepEqual([type, others], ['pre', []])
  assert.equal(
    text.slice(0, offset) + text.slice(offset + length),
    `Change to ops-agent needs a decision (mcp_access)\n\nDetails: ${card.url}`,
  )
  assert.ok(text.slice(offset, offset + length).startsWith(summary))
  assert.deepEqual(found, [card.url])
  await cards.update({ id: 'msg_2', card: { ...end, summary, failure: { rule: 'x', reason: '@team' } }, place, posted }, never())
  assert.deepEqual(standing().found, [card.url])
  // The same words without the block, as a message of the agent's own is sent.
  await options.channel.send(outgoing({ ...place, reference: { message: 1, private: false } }, text), never())
  assert.deepEqual(server.standing().at(-1)?.found, ['https://evil.example/ui', '/approve', card.url])
  assert.deepEqual(findIn(text), ['https://evil.example/ui', '@admin', '/approve', '@owner', '@everyone', card.url])
})

test('a card longer than a message is cut in its block, at no half of a character, and keeps what is below', async () => {
  const long = (letter: string): string => letter.repeat(1_000 / letter.length)
  const decisions = Array.from({ length: 8 }, (_, index) => ({
    ...(end.decisions[0] ?? assert.fail()),
    principal: `${index}${'p'.repeat(60)}`,
  }))
  const failure = { rule: 'rule', reason: long('😀') }
  const card = { ...end, summary: long('😀'), reason: long('r'), requestedBy: long('q'), decisions, failure }
  const { posted, standing } = await postIt(cardWith())
  await cards.update({ id: 'msg_2', card, place, posted }, never())
  const { text, entities = [] } = standing()
  assert.ok(text.length <= 4096 && text.length >= 4090, String(text.length))
  assert.ok(text.isWellFormed())
  assert.match(text, /…\nDetails: \S+$/)
  assert.equal(entities[0]?.length, text.lastIndexOf('\n') - (entities[0]?.offset ?? 0))
})

test('what is of high risk has no button, and says where it is decided', async () => {
  const { posted, standing } = await postIt(cardWith({ risk: 'high', byHand: true }))
  assert.deepEqual(buttonsOf(standing()), [])
  assert.match(standing().text, /\nHigh risk: decide it in the console or with svcctl change show chg_\S+$/)
  await cards.update({ id: 'msg_2', card: cardWith({ risk: 'high', byHand: true, state: 'expired' }), place, posted }, never())
  assert.match(standing().text, /expired without a decision/)
})

test('a card stands in its topic as an answer to who asked; in private, and asked for elsewhere, it answers nothing', async () => {
  const asked = (isPrivate: boolean) => ({ message: 17, private: isPrivate })
  const inTopic = (await postIt(cardWith(), { thread: '7', reference: asked(false) })).standing()
  assert.deepEqual([inTopic.message_thread_id, inTopic.reply_parameters], [7, { message_id: 17, allow_sending_without_reply: true }])
  for (const reference of [asked(true), {}]) {
    const { message_thread_id, reply_parameters } = (await postIt(cardWith(), { reference })).standing()
    assert.deepEqual([message_thread_id, reply_parameters], [undefined, undefined])
  }
})

test('a card that moved has the buttons of what it is now; at its end it has none, and to say it twice changes nothing', async () => {
  const { posted, standing } = await postIt(cardWith())
  const moved = cardWith({ digest: digestOf('d'.repeat(64)) })
  await cards.update({ id: 'msg_2', card: moved, place, posted }, never())
  assert.match(dataOf(standing(), 'Approve'), /:d{32}$/)
  for (const id of ['msg_3', 'msg_3']) await cards.update({ id, card: end, place, posted }, never())
  assert.deepEqual([buttonsOf(standing()), standing().edits], [[], 2])
  assert.match(standing().text, /was approved and applied by kim \(telegram 4000002\)/)
  for (const state of ['rejected', 'withdrawn', 'expired', 'refused', 'approved', 'apply_failed'] as const) {
    await cards.update({ id: 'msg_4', card: cardWith({ state }), place, posted }, never())
    assert.deepEqual(buttonsOf(standing()), [], state)
  }
})

test('a reminder replies to the card, and is sent even if the card no longer exists', async () => {
  const { posted } = await postIt(cardWith(), { thread: '7' })
  const card = cardWith({ summary: 'Grants @all' })
  const reminder = { id: 'msg_5', card, place: placeWith(String(group.id), { thread: '7' }), text: reminderOf(card) }
  await cards.remind({ ...reminder, posted }, never())
  const { text, reply_parameters, message_thread_id, entities } = server.sent.at(-1) ?? assert.fail()
  assert.deepEqual([text, message_thread_id], [reminder.text, 7])
  assert.deepEqual(reply_parameters, { message_id: posted['message'], allow_sending_without_reply: true })
  const [block = assert.fail(), ...more] = entities ?? []
  assert.deepEqual([block.type, block.offset, more], ['pre', 0, []])
  assert.match(text.slice(0, block.length), /Grants @all/)
  assert.match(text.slice(block.length), /^approve /m, 'what is copied from it is plain')
})

test('a card that was a text of an earlier version is posted anew', async () => {
  const before = server.standing().length
  await cards.update({ id: 'msg_6', card: end, place, posted: {} }, never())
  assert.equal(server.standing().length, before + 1)
})

test('a card that was deleted is given up, a pause is kept, and trouble is tried again', async () => {
  const { posted, standing } = await postIt(cardWith())
  const fail = () => failureOf(cards.update({ id: 'msg_7', card: end, place, posted }, never()))
  server.fail('editMessageText', { error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 3 } })
  const limited = await fail()
  assert.deepEqual([limited.kind, limited.after, limited.everywhere], ['later', 3000, true])
  for (const answer of ['cut', 'garbage', { error_code: 500, description: 'Internal' }] as const) {
    server.fail('editMessageText', answer)
    assert.equal((await fail()).kind, 'later')
  }
  server.telegram.standing.delete(`${group.id}:${standing().message_id}`)
  const gone = await fail()
  assert.deepEqual([gone.kind, gone.message], ['never', 'the message was deleted or can no longer be edited'])
})

test('a press is the word of the person whom Telegram names, and what came of it is told to that person alone', async () => {
  const { standing } = await postIt(cardWith())
  for (const [button, outcome] of [
    ['Approve', 'approve'],
    ['Reject', 'reject'],
  ] as const) {
    options.words.push({ text: `Not decided: expected ${'x'.repeat(300)}.\nCurrent state: …` })
    const id = server.press({ message: standing(), data: dataOf(standing(), button), from: kim })
    const { text = '', show_alert } = await toldOf(id)
    assert.deepEqual([text.length, text.startsWith('Not decided: expected xxx'), show_alert], [200, true, true])
    assert.deepEqual(options.presses.at(-1), {
      id,
      address: String(group.id),
      user: String(kim.id),
      outcome,
      changeID: 'chg_20261122125301.123000000',
      digest: `3f2a9c1b77d0e4a5${'c'.repeat(16)}`,
    })
  }
  assert.equal(server.sent.filter(({ text }) => text.startsWith('Not decided')).length, 0)
})

test('who is not heard is told nothing, and the waiting of the button ends all the same', async () => {
  const { standing } = await postIt(cardWith())
  const id = server.press({ message: standing(), data: dataOf(standing(), 'Approve'), from: { ...ann, id: 666 } })
  assert.deepEqual(await toldOf(id), { callback_query_id: id })
})

test('a press that no button of ours carries, of a machine or of no place reaches nobody, and holds nothing up', async () => {
  const { standing } = await postIt(cardWith())
  const data = dataOf(standing(), 'Approve')
  const before = options.presses.length
  const others = ['', 'x', data.slice(1), `${data}0`, `x${data.slice(1)}`, `${data}\n`, data.toUpperCase(), data.repeat(100)]
  const ids = others.map((other) => server.press({ message: standing(), data: other }))
  ids.push(server.press({ message: standing(), data, more: { message: undefined, inline_message_id: 'i' } }))
  ids.push(server.press({ message: standing(), data, more: { data: undefined, game_short_name: 'g' } }))
  ids.push(server.press({ message: standing(), data, from: bot }))
  for (const callback_query of [null, 'x', {}, { id: 7 }, { id: 'q', from: { id: 'x' } }])
    server.telegram.push({ update_id: server.telegram.nextUpdate(), callback_query })
  for (const id of ids) await toldOf(id)
  const last = await toldOf(server.press({ message: standing(), data, from: kim }))
  assert.ok(last)
  assert.equal(options.presses.length, before + 1)
})

test('a press whose answer Telegram no longer takes counts, and what comes behind it is heard', async () => {
  const { standing } = await postIt(cardWith())
  const before = options.presses.length
  options.words.push({ text: 'too late' })
  server.fail('answerCallbackQuery', { error_code: 400, description: 'Bad Request: query is too old and response timeout expired' })
  server.press({ message: standing(), data: dataOf(standing(), 'Approve'), from: kim })
  await toldOf(server.press({ message: standing(), data: dataOf(standing(), 'Reject'), from: kim }))
  assert.deepEqual(
    options.presses.slice(before).map(({ outcome }) => outcome),
    ['approve', 'reject'],
  )
})

test('a card that stands there twice comes to its end by its press, and one that still waits is left alone', async () => {
  const { standing } = await postIt(cardWith())
  const press = () => server.press({ message: standing(), data: dataOf(standing(), 'Approve'), from: kim })
  options.words.push(
    { card: cardWith({ digest: digestOf('e'.repeat(64)) }) },
    { card: { ...end, state: 'approved' } },
    { text: 'was approved', card: end },
  )
  for (const edits of [0, 0]) {
    await toldOf(press())
    assert.equal(standing().edits, edits)
  }
  await toldOf(press())
  await until('the card to be at its end', () => standing().edits === 1)
  assert.deepEqual(buttonsOf(standing()), [])
})

test('a press is asked for again after a death in the midst of it, and not after it was dealt with', async () => {
  const fresh = await startTelegram('987654321:canary-canary-canary-canary-canary')
  const start = () => hearTelegram(fresh)
  const message = { chat_id: group.id, message_id: 5 }
  const data = 'a20261122125301.123000000:3f2a9c1b77d0e4a5cccccccccccccccc'
  const first = start()
  fresh.press({ message, data })
  await until('the press to be heard', () => first.presses.length === 1)
  await until('it to be forgotten there', () => fresh.telegram.updates.length === 0)
  const { promise, resolve } = Promise.withResolvers<object>()
  first.words.push(promise)
  const lost = fresh.press({ message, data })
  await until('the other press to be heard', () => first.presses.length === 2)
  const stopped = first.stop()
  resolve({})
  await stopped
  const second = start()
  await until('it to be heard again', () => second.presses.length === 1)
  assert.equal(second.presses[0]?.id, lost)
  await second.stop()
  await fresh.close()
})
