// Cards in Slack: what they show, what they never become, and how they are brought up to date.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as v from 'valibot'
import { buttonsOf, piecesOf, readBlocksText } from '@gatehouse/testkit/slack-blocks'
import { digestOf } from '../fixtures/card.ts'
import { failureOf, never } from '../fixtures/sending.ts'
import { applied, card, labels, type SlackCards, startCards, thread } from '../fixtures/slack-cards.ts'
import { ann, place, type SlackServer } from '@gatehouse/testkit/slack-server'

let slack: SlackCards

before(async () => {
  slack = await startCards()
})
after(() => slack.close())

test('a card shows who asks for what, how risky it is, both digests, its end and the console, and has two buttons', async () => {
  const { message, posted } = await slack.stand()
  assert.deepEqual([message.channel, message.thread, posted], [place, thread, { channel: place, ts: message.ts }])
  assert.equal(
    readBlocksText(message.blocks),
    [
      'Change to ops-agent needs a decision (mcp_access)',
      'change the instructions of ops',
      'Requested by: session:ses_1',
      'Reason: they are old',
      'Risk: medium',
      'The agent had read tool output before it requested this.',
      `Evidence: ${'e'.repeat(16)}`,
      `Digest: ${'a'.repeat(16)}`,
      `Change: ${card.changeID}`,
      `Expires: ${card.expiresAt}`,
      `Details: ${card.url}`,
    ].join('\n'),
  )
  assert.deepEqual(labels(message), ['Approve', 'Reject'])
  assert.match(message.text, /approve 125301.123 a{16}/)
  const { thread: none, ...open } = (await slack.stand(card, { thread: undefined })).message
  assert.equal(none, undefined, JSON.stringify(open))
})

test('of high risk there is no button, and where it is decided', async () => {
  const { message } = await slack.stand({ ...card, risk: 'high', byHand: true })
  assert.deepEqual(labels(message), [])
  assert.match(readBlocksText(message.blocks), /High risk: decide it in the console or with svcctl change show chg_/)
})

const hostile = 'x</b> <!channel> <@U0MALLORY> <https://evil.example|Approve> *b* `c` :tada: &lt;@U1&gt; https://evil.example'

/** Throws where words of others could be more than words. */
const assertInert = ({ text, blocks }: { readonly text: string; readonly blocks: unknown[] }): void => {
  assert.ok(!/[<>]/.test(text), 'the fallback is escaped')
  assert.ok(!JSON.stringify(blocks).includes('mrkdwn'), 'nothing is read as markup')
  const pieces = piecesOf(v.parse(v.array(v.any()), blocks))
  for (const piece of pieces) {
    if (piece.type === 'link') assert.equal(piece.url, card.url)
    else assert.equal(piece.type, 'text')
  }
}

test('what an agent writes is no markup, no mention, no link and no button, wherever it stands', async () => {
  const words = { requestedBy: hostile, summary: hostile, reason: `${hostile}\ud83d` }
  const { message } = await slack.stand({ ...card, ...words })
  assertInert({ text: message.text, blocks: [...message.blocks] })
  const texts = piecesOf(message.blocks).map((piece) => (piece.type === 'text' ? piece.text : ''))
  assert.deepEqual([texts.filter((text) => text === hostile).length, texts.filter((text) => text === `${hostile}\ufffd`).length], [2, 1])
  assert.deepEqual(labels(message), ['Approve', 'Reject'])
  const { message: over } = await slack.stand({ ...applied, ...words, failure: { rule: 'r', reason: hostile } })
  assertInert({ text: over.text, blocks: [...over.blocks] })
  // A card that is laid out as markup, or whose fallback is not escaped, does not pass.
  const naive = [{ type: 'section', text: { type: 'mrkdwn', text: hostile } }]
  assert.throws(() => assertInert({ text: 'fine', blocks: naive }))
  assert.throws(() => assertInert({ text: hostile, blocks: [] }))
})

test('a card is brought up to date in place: with other buttons when it moved, with none at its end', async () => {
  const { message, ...post } = await slack.stand()
  const old = buttonsOf(message.blocks).map(({ value }) => value)
  await slack.cards.update({ ...post, card: { ...card, digest: digestOf('b'), approvals: { needed: 2, given: 1 } } }, never())
  assert.equal(message.updates, 1)
  assert.match(readBlocksText(message.blocks), /Approvals: 1 of 2/)
  assert.deepEqual(labels(message), ['Approve', 'Reject'])
  assert.notDeepEqual(
    buttonsOf(message.blocks).map(({ value }) => value),
    old,
  )
  await slack.cards.update({ ...post, card: applied }, never())
  assert.deepEqual(labels(message), [])
  const text = readBlocksText(message.blocks)
  assert.match(text, new RegExp(`${card.changeID} was approved and applied by kim\\.\nfine <!here>$`))
  assert.match(message.text, /fine &lt;!here&gt;/)
})

test('a reminder stands in the thread of the card and calls who may decide it, nobody else', async () => {
  const cases = [
    { at: { thread }, expected: () => thread },
    { at: { thread: undefined }, expected: (ts: string) => ts },
  ]
  for (const { at, expected } of cases) {
    const { message, ...post } = await slack.stand(card, { ...at, approvers: [ann, ann, '<!channel>', 'kim@example.org', 'UKIM'] })
    await slack.cards.remind?.({ ...post, text: 'x' }, never())
    const reminder = slack.server.shown.at(-1) ?? assert.fail('nothing is shown')
    assert.equal(reminder.thread, expected(message.ts))
    assert.match(readBlocksText(reminder.blocks), new RegExp(`^@${ann} @UKIM \nStill pending, expires .*: ${card.summary}\nChange: chg_`))
    assert.ok(!/[<>]/.test(reminder.text))
  }
})

test('a layout that Slack does not take is left away: the card is a text then, and is answered by text', async () => {
  slack.server.layout.takesBlocks = false
  try {
    const { message, ...post } = await slack.stand()
    assert.deepEqual(message.blocks, [])
    assert.match(message.text, /approve 125301.123 a{16}/)
    await slack.cards.update({ ...post, card: applied }, never())
    assert.match(message.text, /was approved and applied/)
  } finally {
    slack.server.layout.takesBlocks = true
  }
})

test('what Slack refuses is waited out, tried again or given up, as it deserves', async () => {
  const { message: _, ...post } = await slack.stand()
  const attempt = (method: string, answer: Parameters<SlackServer['fail']>[1]) => {
    slack.server.fail(method, answer)
    return failureOf(method === 'chat.update' ? slack.cards.update(post, never()) : slack.cards.post(post, never()))
  }
  for (const method of ['chat.update', 'chat.postMessage']) {
    const limited = await attempt(method, { retryAfter: 7 })
    assert.deepEqual([limited.kind, limited.after, limited.everywhere], ['later', 7000, true], method)
    for (const answer of ['internal_error', 'cut', { status: 500 }] as const)
      assert.equal((await attempt(method, answer)).kind, 'later', method)
  }
  for (const code of ['message_not_found', 'cant_update_message', 'edit_window_closed', 'is_archived'])
    assert.equal((await attempt('chat.update', code)).kind, 'never', code)
})
