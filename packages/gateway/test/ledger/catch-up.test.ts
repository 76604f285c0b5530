// The database is brought up to the journal in pieces, while lines are added: each line once, in its order, and told once.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { AuditEntry } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import { catchUp } from '../../src/ledger/catch-up.ts'
import { readHead } from '../../src/ledger/head.ts'
import { audit, fails } from '../fixtures/people.ts'
import { frozen, note, openLedger, type OwnLedger, stop } from './own-ledger.ts'

let own: OwnLedger
beforeEach(async () => {
  own = await openLedger()
})
afterEach(() => own.end())

/** Adds a line each time that its lines have been read to the end. */
const growing = (journal: Journal, times: number): Journal => {
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
    const committed = async (entries: readonly AuditEntry[]) => void told.push(...entries)
    const done = await catchUp({ journal: growing(own.journal, 3), store: own.store, projections: {}, committed })
    const all = await audit(own)
    assert.equal(done, all.length)
    assert.deepEqual(told, all)
    assert.deepEqual(await readHead(own.store.read), own.journal.head())
    assert.equal(await catchUp({ journal: own.journal, store: own.store, projections: {}, committed }), 0)
    const rows = await own.store.read.all<{ seq: number }>('SELECT seq FROM lines ORDER BY seq')
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      all.map(({ seq }) => seq),
    )
  })
}

test('a line whose transaction was written although it failed is told before those that the database lacks', async () => {
  const { gates, ledger, said } = own
  gates.reads.set('shut')
  gates.database.set('forgetful')
  assert.equal((await fails(ledger.commit([stop('a')]))).code, 'unavailable')
  gates.database.set('shut')
  assert.deepEqual(await ledger.commitLate([stop('b')]), { journaled: true, stored: false })
  assert.deepEqual(said, [])
  assert.deepEqual(await frozen(own), ['a'])
  gates.database.set('open')
  gates.reads.set('open')
  await ledger.commit([note('c')])
  assert.deepEqual(
    said.filter((one) => one !== 'mended'),
    ['committed 1 freeze', 'committed 2 freeze', 'committed 3 start'],
  )
  assert.deepEqual(await frozen(own), ['a', 'b'])
})

test('a line that only looks late is an ordinary one', async () => {
  const marks = [
    'now',
    null,
    {},
    { at: 'now', id: 'x' },
    { at: '2026-11-20T00:00:00.000Z' },
    { at: '2026-11-20T00:00:00.000Z', id: 'x', more: 1 },
  ]
  for (const [index, late] of marks.entries()) {
    const line = stop(`g${index}`)
    await own.ledger.commit([{ ...line, detail: { ...line.detail, late } }])
  }
  assert.deepEqual(
    await frozen(own),
    marks.map((_, index) => `g${index}`),
  )
  assert.equal(own.said.length, marks.length)
})
