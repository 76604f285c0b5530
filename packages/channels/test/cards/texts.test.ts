// What a card says in plain words: all that an approver must see, how it is answered, how it ended.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, cardText, endingOf, isOpen, reminderOf, subjectOf } from '../../src/cards/texts.ts'
import { parseCommand } from '../../src/commands/command.ts'
import { approvedBy, cardWith } from '../fixtures/card.ts'

const card = cardWith()
const rejected = { outcome: 'reject', principal: 'kim', by: 'kim', digest: card.digest, at: '2026-11-22T12:54:00Z' } as const

test('a card names who asks for what, why, the risk, the digests, its end and where all of it is', () => {
  const text = cardText(cardWith({ reason: 'to answer Ann', evidence: 'e'.repeat(64) as typeof card.digest, afterToolOutput: true }))
  for (const line of [
    'Change to ops-agent needs a decision (mcp_access)',
    'Give ops-agent the tools echo of sample',
    'Requested by: the agent of ops-agent',
    'Reason: to answer Ann',
    'Risk: medium',
    'The agent had read tool output before it requested this.',
    `Evidence: ${'e'.repeat(16)}`,
    'Digest: 3f2a9c1b77d0e4a5',
    'Change: chg_20261122125301.123000000',
    'Expires: 2026-11-23T12:53:01.123Z',
    'Details: https://gatehouse.example.org/ui/changes/chg_20261122125301.123000000',
  ])
    assert.ok(text.split('\n').includes(line), line)
})

test('the lines to answer with are decisions on this very card', () => {
  for (const outcome of ['approve', 'reject'] as const) {
    const word = parseCommand(answerOf(outcome, card))
    assert.deepEqual([word?.outcome, word?.change, word?.digest], [outcome, card.short, card.digest.slice(0, 16)])
    assert.ok(cardText(card).split('\n').includes(answerOf(outcome, card)))
    assert.ok(reminderOf(card).split('\n').includes(answerOf(outcome, card)))
  }
})

test('no text of a card is a decision itself, whoever sends it back as it is', () => {
  for (const text of [cardText(card), reminderOf(card), endingOf(card), subjectOf(card)]) assert.equal(parseCommand(text), undefined, text)
})

test('what is of high risk says where it is decided, and offers no answer', () => {
  const high = cardWith({ risk: 'high', byHand: true })
  assert.equal(isOpen(high), false)
  for (const text of [cardText(high), reminderOf(high)]) {
    assert.match(text, /console or with svcctl change show chg_20261122125301\.123000000/)
    assert.doesNotMatch(text, /approve 125301/)
  }
})

test('what was decided offers no answer, and says how it ended, by whom and why', () => {
  const ended = approvedBy({ channel: 'email', user: 'kim@example.org' })
  assert.doesNotMatch(cardText(ended), /approve 125301|waits/)
  assert.match(endingOf(ended), /^chg_\S+ was approved and applied by kim \(email kim@example\.org\)\. Give ops-agent/)
  const no = cardWith({ state: 'rejected', decisions: [{ ...rejected, reason: 'not today' }] })
  assert.match(endingOf(no), /was rejected by kim\. .* — not today$/)
  const failed = cardWith({ state: 'apply_failed', decisions: [rejected], failure: { rule: 'r', reason: 'the file is gone' } })
  assert.match(endingOf(failed), /could not be applied by kim\. .* — the file is gone$/)
  for (const state of ['withdrawn', 'expired', 'refused'] as const) assert.match(endingOf(cardWith({ state })), new RegExp(state))
})

test('where two must approve, each text says how many have', () => {
  const one = cardWith({ approvals: { needed: 2, given: 1 } })
  assert.match(cardText(one), /^Approvals: 1 of 2$/m)
  assert.match(endingOf(one), /Approvals: 1 of 2\./)
})

test('a subject has no word of who asked, and is the same for all that is said of a change', () => {
  const said = cardWith({ summary: 'urgent\r\nBcc: x@y', reason: 'urgent', requestedBy: 'urgent' })
  assert.equal(subjectOf(said), 'Change 125301.123 to ops-agent (mcp_access, medium risk)')
  assert.equal(subjectOf(approvedBy({ channel: 'email', user: 'k' })), subjectOf(card))
})
