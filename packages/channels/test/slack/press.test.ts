// Buttons of cards in Slack: what a press hands on, and what comes of it there.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Interaction, InteractionReply } from '../../src/channel.ts'
import { until } from '../fixtures/listener.ts'
import { never } from '../fixtures/sending.ts'
import { piecesOf, readBlocksText } from '@gatehouse/testkit/slack-blocks'
import { applied, card, labels, type SlackCards, startCards, thread } from '../fixtures/slack-cards.ts'
import { place } from '@gatehouse/testkit/slack-server'

let slack: SlackCards

before(async () => {
  slack = await startCards()
})
after(() => slack.close())

test('a press is acknowledged before it is decided, and hands on who pressed what of which card', async () => {
  const { message } = await slack.stand()
  const presses: Interaction[] = []
  const given = Promise.withResolvers<InteractionReply>()
  slack.state.decide = (press) => {
    presses.push(press)
    return given.promise
  }
  await slack.acknowledged(slack.server.press(message, 'Reject', { user: 'U0000KIM1', at: '1700000005.000009', reason: ' not today ' }))
  await until('the press to be handed on', () => presses.length === 1)
  const told = slack.server.told.length
  // A message to one person alone cannot be told to have no markup: what is read of it stands where there is none.
  given.resolve({ text: 'Not decided: *b* <b> & `so on`\n\n~no~ <!here>' })
  await until('the answer', () => slack.server.told.length > told)
  const { blocks, ...answer } = slack.server.told.at(-1) ?? assert.fail()
  const text = 'Not decided: *b* &lt;b&gt; &amp; `so on`\n\n~no~ &lt;!here&gt;'
  assert.deepEqual(answer, { channel: place, user: 'U0000KIM1', text, thread })
  assert.ok(piecesOf(blocks).every((piece) => piece.type === 'text' && piece.style === undefined))
  assert.equal(readBlocksText(blocks), 'Not decided: *b* <b> & `so on`\n\n~no~ <!here>')
  assert.deepEqual(presses, [
    {
      id: `${place}:${message.ts}:U0000KIM1:1700000005.000009`,
      address: place,
      user: 'U0000KIM1',
      changeID: card.changeID,
      digest: card.digest,
      outcome: 'reject',
      reason: 'not today',
    },
  ])
  assert.equal(message.updates, 0)
})

test('a press that is answered with silence shows nothing to anybody, and the same press twice has the same id', async () => {
  const { message } = await slack.stand()
  const presses: Interaction[] = []
  slack.state.decide = (press) => {
    presses.push(press)
    return Promise.resolve({})
  }
  const before = [slack.server.told.length, slack.server.posted.length]
  for (const user of ['U0MALLORY', 'U0MALLORY']) await slack.acknowledged(slack.server.press(message, 'Approve', { user }))
  await until('both to be handed on', () => presses.length === 2)
  assert.equal(presses[0]?.id, presses[1]?.id)
  assert.deepEqual([presses[0]?.outcome, presses[0]?.reason, message.updates], ['approve', undefined, 0])
  assert.deepEqual([slack.server.told.length, slack.server.posted.length], before)
})

test('what is no press of a card of ours in this workspace is acknowledged and goes no further', async () => {
  const { message } = await slack.stand()
  let count = 0
  slack.state.decide = async () => {
    count += 1
    return {}
  }
  const action = { type: 'button', action_id: 'gatehouse_approve', action_ts: '1.1' }
  const value = JSON.stringify({ change: card.changeID, digest: card.digest })
  const odd: object[] = [
    { team: { id: 'T2' } },
    { team: null },
    { user: { id: 'not an id' } },
    { user: undefined },
    { type: 'view_submission' },
    { container: { type: 'view', view_id: 'V1' } },
    { actions: [] },
    {
      actions: [
        { ...action, value },
        { ...action, value },
      ],
    },
    { actions: [{ ...action, value, action_id: 'other' }] },
    ...[
      '',
      '{}',
      'null',
      '[',
      JSON.stringify({ change: card.changeID, digest: 'a' }),
      JSON.stringify({ change: '../x', digest: card.digest }),
    ].map((wrong) => ({ actions: [{ ...action, value: wrong }] })),
    { actions: [{ ...action, value: JSON.stringify({ change: card.changeID, digest: card.digest, more: 1 }) }] },
    { actions: [{ ...action, value: `${value}${' '.repeat(300)}` }] },
  ]
  for (const more of odd) await slack.acknowledged(slack.server.press(message, 'Approve', { more }))
  assert.equal(count, 0)
  await slack.acknowledged(slack.server.press(message, 'Approve', { more: { actions: [{ ...action, value }] } }))
  await until('the whole one to be handed on', () => count === 1)
})

test('a press shows the card as it is now, also on one that was sent twice, and never what is older than what stands there', async () => {
  const { message, ...post } = await slack.stand()
  const { message: other } = await slack.stand()
  const given = Promise.withResolvers<InteractionReply>()
  let isAsked = false
  slack.state.decide = () => {
    isAsked = true
    return given.promise
  }
  slack.server.press(message, 'Approve')
  await until('it to be asked', () => isAsked)
  const updated = slack.cards.update({ ...post, card: applied }, never())
  given.resolve({ text: 'approved', card: { ...card, state: 'approved' } })
  await updated
  assert.equal(message.updates, 2)
  assert.match(readBlocksText(message.blocks), /was approved and applied/)
  slack.state.decide = () => Promise.resolve({ text: 'Not decided: it was approved by kim.', card: applied })
  slack.server.press(other, 'Approve')
  await until('the other to be brought up to date', () => other.updates === 1)
  assert.deepEqual(labels(other), [])
})

test('an answer that Slack does not take stops neither the card nor the next press', async () => {
  const { message } = await slack.stand()
  slack.server.fail('chat.postEphemeral', 'user_not_in_channel')
  slack.state.decide = () => Promise.resolve({ text: 'approved', card: applied })
  slack.server.press(message, 'Approve')
  await until('the card to be brought up to date', () => message.updates === 1)
  const { message: next } = await slack.stand()
  const told = slack.server.told.length
  slack.server.press(next, 'Approve')
  await until('the next answer', () => slack.server.told.length > told)
})
