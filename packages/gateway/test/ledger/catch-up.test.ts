// The database is brought up to the journal in pieces, while lines are added: each line once, in its order, and told once.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { AuditEntry } from '@gatehouse/contracts'
import { type Head, type HeldJournal, readHead } from '@gatehouse/journal'
import { catchUp } from '../../src/ledger/recovery.ts'
import { fails } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { frozen, note, openLedger, type OwnLedger, stop } from './own-ledger.ts'

let own: OwnLedger
beforeEach(async () => {
  own = await openLedger()
})
afterEach(() => own.end())

const during = (_: unknown, transact: () => Promise<void>): Promise<void> => transact()

/** Adds a line each time that its lines have been read to the end. */
const growing = (journal: HeldJournal, times: number): HeldJournal => {
  let left = times
  return {
    ...journal,
    async *linesAfter(seq) {
      yield* journal.linesAfter(seq)
      if (left-- > 0) await journal.append([note('added while it was read')])
    },
  }
}

for (const count of [1, 2, 999, 1_000, 1_001, 2_500]) {
  test(`${count} lines are taken in while others are added behind them`, async () => {
    await own.journal.append(Array.from({ length: count }, (_, index) => note(`line ${index}`)))
    const told: AuditEntry[] = []
    const heads: Head[] = []
    const committed = async (entries: readonly AuditEntry[]): Promise<void> => {
      told.push(...entries)
      heads.push(await readHead(own.store.read))
    }
    const done = await catchUp({ journal: growing(own.journal, 3), store: own.store, projections: {}, during, committed })
    const all = await audit(own)
    assert.equal(done, all.length)
    assert.deepEqual(told, all)
    assert.deepEqual(heads.at(-1), own.journal.head())
    // A line's own hash stands in the line after it.
    for (const { seq, hash } of heads.slice(0, -1)) assert.equal(hash, all[seq]?.hash, 'a start after any piece finds its place')
    assert.equal(await catchUp({ journal: own.journal, store: own.store, projections: {}, during, committed }), 0)
    const rows = await own.store.read.all<{ seq: number }>('SELECT seq FROM lines ORDER BY seq')
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      all.map(({ seq }) => seq),
    )
  })
}

test('a line whose transaction was written although it failed is told before those that the database lacks', async () => {
  const { gates, ledger, calls } = own
  gates.reads.set('shut')
  gates.database.set('forgetful')
  assert.equal((await fails(ledger.commit([stop('a')]))).code, 'unavailable')
  gates.database.set('shut')
  assert.deepEqual(await ledger.commitLate([stop('b')]), { journaled: true, stored: false })
  assert.deepEqual(calls, [])
  assert.deepEqual(await frozen(own), ['a'])
  gates.database.set('open')
  gates.reads.set('open')
  await ledger.commit([note('c')])
  assert.deepEqual(
    calls.filter((one) => one !== 'recovered'),
    ['committed 1 freeze', 'committed 2 freeze', 'committed 3 start'],
  )
  assert.deepEqual(await frozen(own), ['a', 'b'])
})

test('a line that only looks late has the time of its place in the journal', async () => {
  const marks = [
    'now',
    null,
    {},
    { at: 'now', id: 'x' },
    { at: '2026-11-20T00:00:00.000Z' },
    { at: '2026-11-20T00:00:00.000Z', id: 'x', more: 1 },
  ]
  for (const [index, late] of marks.entries()) {
    const session = `ses_aaaaaaaaaaaa${'abcdef'.charAt(index)}`
    await own.store.write((tx) =>
      tx.run('INSERT INTO sessions (id, agent_group_id, conversation_id, slot, opened_at) VALUES (?, ?, ?, 1, ?)', [
        session,
        'a',
        session,
        '',
      ]),
    )
    const [line] = await own.ledger.commit([{ stage: 'terminate', edge: 'control-plane', principal: 'admin', detail: { session, late } }])
    const row = await own.store.read.get<{ closed: string }>('SELECT closed_at AS closed FROM sessions WHERE id = ?', [session])
    assert.equal(row?.closed, line?.time)
  }
  assert.equal(own.calls.length, marks.length)
})
