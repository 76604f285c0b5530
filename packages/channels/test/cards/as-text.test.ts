// Cards as texts to persons: each who may decide has his own, once, and nobody's trouble keeps another from his.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { limits, type Reference } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { type DirectNotice, type Outgoing, SendFailure } from '../../src/channel.ts'
import { createBoard, taskWith } from '../fixtures/dispatcher.ts'
import { approvedBy, cardWith } from '../fixtures/card.ts'

const soon = (what: string, is: () => boolean) => waitFor(async () => is() || undefined, { what, deadline: 30_000 })

/** As e-mail does it; `ann` spoke last in the conversation. */
const direct = (user: string, { subject, earlier, reference }: DirectNotice): Reference =>
  reference['to'] === user ? reference : { to: user, subject, earlier: earlier ?? 'nothing' }
const conversation = { address: 'ops', thread: 't1', own: { to: 'ann' } }
const asked = { session: 'ses_aaaaaaaaaaaaa' as never }
const ended = approvedBy({ channel: 'email', user: 'kim' })

const open = (t: TestContext, send?: (message: Outgoing) => Promise<void>) => {
  const board = createBoard({ direct, envelope: conversation, ...(send !== undefined && { send }) })
  t.after(() => board.board.stop())
  const show = async (...[more]: Parameters<typeof taskWith>) => {
    const [before, from] = [board.told.length, board.sent.length]
    board.put(taskWith(more))
    await soon('the note', () => board.told.length > before)
    return { letters: board.sent.slice(from), note: board.told.at(-1) ?? assert.fail() }
  }
  return { ...board, show }
}
const to = ({ reference }: Outgoing): unknown => reference['to']

test('each approver is written to alone, with an id of his own, and not who asked', async (t) => {
  const { show } = open(t)
  const { letters } = await show({ ...asked, approvers: ['kim', 'ben'] })
  assert.deepEqual(letters.map(to), ['kim', 'ben'])
  assert.equal(new Set(letters.map(({ id }) => id)).size, 2)
  for (const { id, thread, text, reference } of letters) {
    assert.match(id, /^msg_[0-9a-f]{32}$/)
    assert.deepEqual([thread, reference['subject']], ['t1', 'Change 125301.123 to ops-agent (mcp_access, medium risk)'])
    assert.match(text, /^approve 125301\.123 3f2a9c1b77d0e4a5$/m)
  }
})

test('what follows names the letter that it follows, to each his own, and how it ended also who asked is told', async (t) => {
  const { show } = open(t)
  const { letters: posted, note } = await show({ ...asked, approvers: ['kim', 'ben'] })
  const { letters: reminded } = await show({ act: 'remind', reminder: 1, approvers: ['kim', 'ben'], reference: note.reference })
  const { letters: updated } = await show({ act: 'update', card: ended, approvers: ['kim', 'ben'], reference: note.reference })
  assert.deepEqual(
    [reminded.map(to), updated.map(to)],
    [
      ['kim', 'ben'],
      ['kim', 'ben', 'ann'],
    ],
  )
  for (const follow of [reminded, updated]) {
    assert.deepEqual(
      follow.slice(0, 2).map(({ reference }) => reference['earlier']),
      posted.map(({ id }) => id),
    )
  }
  assert.equal(new Set([...posted, ...reminded, ...updated].map(({ id }) => id)).size, 7)
  assert.deepEqual(updated.at(-1)?.reference, { to: 'ann' })
})

test('a change that was decided before its post was recorded is reported in a message of its own', async (t) => {
  const { show } = open(t)
  const [waits] = (await show({ ...asked, approvers: ['kim'] })).letters
  const { letters } = await show({ ...asked, approvers: ['kim'], card: ended, version: 'v2' })
  assert.deepEqual(letters.map(to), ['kim', 'ann'])
  assert.match(letters[0]?.text ?? '', /was approved and applied by/)
  assert.notEqual(letters[0]?.id, waits?.id)
})

test('a change that is applied later is announced once, at its end', async (t) => {
  const { show } = open(t)
  const { note } = await show({ ...asked, approvers: ['kim'] })
  const update = { ...asked, act: 'update' as const, approvers: ['kim'], reference: note.reference }
  const { letters, note: noted } = await show({ ...update, version: 'v2', card: { ...ended, state: 'approved' } })
  assert.deepEqual([letters, noted.version, noted.failed], [[], 'v2', false])
  assert.deepEqual((await show({ ...update, version: 'v3', card: ended })).letters.map(to), ['kim', 'ann'])
  const failed = await show({ ...update, id: 2, card: { ...ended, state: 'apply_failed' } })
  assert.deepEqual(failed.letters.map(to), ['kim', 'ann'], 'what is not applied has ended too')
})

test('an approver who spoke last in the conversation is written to there, once', async (t) => {
  const { show } = open(t)
  const { letters, note } = await show({ ...asked, approvers: ['ann'] })
  assert.deepEqual(
    letters.map(({ reference }) => reference),
    [{ to: 'ann' }],
  )
  assert.deepEqual((await show({ act: 'update', card: ended, approvers: ['ann'], reference: note.reference })).letters.map(to), ['ann'])
})

test('where nobody may decide who asked is told, and where nobody asked there it is given up', async (t) => {
  const { show } = open(t)
  assert.deepEqual((await show({ ...asked })).letters.map(to), ['ann'])
  const { letters, note } = await show({ id: 2 })
  assert.deepEqual([letters, note.failed], [[], true])
})

test('one whose letter waits is tried again, and the others have it once', async (t) => {
  let failing = 3
  const { show, tasks } = open(t, ({ reference }) => {
    if (reference['to'] === 'never') return Promise.reject(new SendFailure('never', 'no such mailbox'))
    return reference['to'] === 'slow' && (failing -= 1) >= 0 ? Promise.reject(new SendFailure('later', 'not now')) : Promise.resolve()
  })
  const { letters, note } = await show({ approvers: ['slow', 'never', 'kim'] })
  assert.deepEqual([letters.map(to), note.failed, tasks.size], [['kim', 'slow'], false, 0])
})

test('where the change moved between two tries everybody has what it is now', async (t) => {
  let isDown = true
  const { put, sent, told } = open(t, ({ reference }) =>
    reference['to'] === 'slow' && isDown ? Promise.reject(new SendFailure('later', 'not now')) : Promise.resolve(),
  )
  put(taskWith({ approvers: ['kim', 'slow'] }))
  await soon('the first letter', () => sent.length === 1)
  const digest = 'f'.repeat(64) as ReturnType<typeof cardWith>['digest']
  put(taskWith({ approvers: ['kim', 'slow'], card: cardWith({ digest }) }))
  await soon('the second letter', () => sent.length === 2)
  isDown = false
  await soon('the note', () => told.length === 1)
  const now = sent.filter(({ text }) => text.includes('approve 125301.123 ffffffffffffffff'))
  assert.deepEqual(now.map(to), ['kim', 'slow'])
})

test('where all refuse it for good it is given up, and a crowd is written to up to a bound', async (t) => {
  const { show, state } = open(t)
  const crowd = Array.from({ length: limits.cardPeople + 5 }, (_, index) => `p${index}`)
  assert.equal((await show({ approvers: crowd })).letters.length, limits.cardPeople)
  state.send = () => Promise.reject(new SendFailure('never', 'no such mailbox'))
  assert.equal((await show({ id: 2, approvers: ['kim', 'ben'] })).note.failed, true)
})
