// Who may be late, what the answer of a late act says, and in which order and with which times late lines come.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type AuditEntry, auditStages } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { deferredStages } from '../../src/ledger/deferred.ts'
import { fails } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { frozen, note, openLedger, type OwnLedger, stop } from './own-ledger.ts'
import { keptLines } from './urgent.ts'

let own: OwnLedger
beforeEach(async () => {
  own = await openLedger()
})
afterEach(() => own.end())

const whole = () => waitFor(() => own.calls.at(-1) === 'recovered', { what: 'the ledger to recover' })
const lines = async (): Promise<AuditEntry[]> => (await audit(own)).filter(({ stage }) => stage !== 'checkpoint')
const texts = async (): Promise<unknown[]> =>
  (await lines()).map(({ stage, detail, agentGroupID }) => (stage === 'start' ? detail['text'] : (agentGroupID ?? stage)))
const atOf = ({ detail }: AuditEntry): string => (detail['late'] as { at: string }).at

test('every other stage is refused, alone and among those that may be late', async () => {
  own.gates.journal.set('shut')
  const others = auditStages.filter((stage) => !deferredStages.has(stage))
  assert.deepEqual([...deferredStages].toSorted(), ['freeze', 'reject', 'terminate', 'token-revoke'])
  for (const stage of others) {
    const line = { ...note('x'), stage }
    assert.throws(() => void own.ledger.commitLate([line]), TypeError)
    assert.throws(() => void own.ledger.commitLate([stop('a'), line]), { name: 'TypeError', message: new RegExp(`^${stage} `) })
  }
  assert.equal(others.length, auditStages.length - 4)
  assert.deepEqual(await frozen(own), [])
  assert.equal(await keptLines(own), 0)
  assert.deepEqual(await lines(), [])
})

test('the answer says what was done by then', async () => {
  const { gates, ledger } = own
  assert.deepEqual(await ledger.commitLate([stop('well')]), { journaled: true, stored: true })
  gates.journal.set('shut')
  assert.deepEqual(await ledger.commitLate([stop('kept')]), { journaled: false, stored: true })
  gates.database.set('shut')
  assert.deepEqual(await ledger.commitLate([stop('told-nobody')]), { journaled: false, stored: false })
  assert.equal(ledger.unpersisted(), 1)
  gates.journal.set('open')
  assert.deepEqual(await ledger.commitLate([stop('written')]), { journaled: true, stored: false })
  assert.deepEqual(await texts(), ['well', 'kept', 'told-nobody', 'recovered', 'written'])
  assert.deepEqual(await frozen(own), ['kept', 'well'])
  gates.database.set('open')
  await whole()
  assert.deepEqual(await frozen(own), ['kept', 'told-nobody', 'well', 'written'])
  assert.equal(ledger.unpersisted(), 0)
  assert.equal(await keptLines(own), 0)
})

test('an act that hangs is answered for after a while, and done once it does not', async () => {
  own.times.lateWait = 500
  for (const name of ['journal', 'database'] as const) {
    own.gates[name].set('stuck')
    assert.deepEqual(await own.ledger.commitLate([stop(name)]), { journaled: false, stored: false })
    assert.equal(own.gates[name].waiting(), 1)
    own.gates[name].set('open')
    await waitFor(async () => (await frozen(own)).includes(name), { what: 'its effect' })
  }
  assert.deepEqual(await texts(), ['journal', 'database'])
})

test('late lines come in the order of the acts, then the outage, then who waited, then who comes now', async () => {
  const { gates, ledger } = own
  await ledger.commit([note('before')])
  gates.journal.set('shut')
  for (const scope of ['c', 'a', 'b']) await ledger.commitLate([stop(scope)])
  assert.equal((await fails(ledger.commit([note('refused')]))).code, 'audit-unwritable')
  gates.journal.set('open')
  await ledger.commit([note('after')])
  await ledger.commit([note('later')])
  assert.deepEqual(await texts(), ['before', 'c', 'a', 'b', 'recovered', 'after', 'later'])
  const [, c, a, b, recovered] = await lines()
  assert.ok(c && a && b && recovered)
  assert.deepEqual([atOf(c), atOf(a), atOf(b)], [atOf(c), atOf(a), atOf(b)].toSorted())
  assert.equal(recovered.detail['fault'], 'the disk of the journal says no')
  assert.ok(String(recovered.detail['since']) <= recovered.time)
})

test('a late line bears the time of its act, also if its journal was slow before it failed', async () => {
  own.gates.journal.set('stuck')
  own.times.lateWait = 500
  const before = new Date().toISOString()
  await own.ledger.commitLate([stop('a')])
  const answered = new Date().toISOString()
  await waitFor(() => new Date().toISOString() > answered, { what: 'the next millisecond', every: 1 })
  own.gates.journal.set('shut')
  await waitFor(async () => (await keptLines(own)) === 1, { what: 'the line to be kept' })
  own.gates.journal.set('open')
  await whole()
  const [line] = await lines()
  assert.ok(line)
  assert.ok(before <= atOf(line) && atOf(line) <= answered, `${atOf(line)} is between ${before} and ${answered}`)
  assert.ok(line.time > answered)
})

test('it is calls once that all is well, after the last line is written, and not while it is not', async () => {
  const { gates, ledger, calls } = own
  gates.journal.set('shut')
  gates.database.set('shut')
  await ledger.commitLate([stop('a')])
  assert.deepEqual(calls, [])
  assert.match(ledger.fault() ?? '', /journal says no/)
  gates.database.set('open')
  await waitFor(() => calls.length > 0, { what: 'the effect' })
  assert.deepEqual(calls, ['tookEffect freeze'])
  assert.match(ledger.fault() ?? '', /journal says no/)
  gates.journal.set('open')
  await whole()
  assert.deepEqual(calls, ['tookEffect freeze', 'committed 1 freeze', 'committed 2 recovered', 'recovered'])
  assert.equal(ledger.fault(), undefined)
})

test('a ledger that is closed comes back to nothing; who opens the files next does', async () => {
  own.gates.journal.set('shut')
  await own.ledger.commitLate([stop('a')])
  own.ledger.close()
  own.gates.journal.set('open')
  const next = await own.again()
  assert.deepEqual(await frozen(next), ['a'])
  await waitFor(() => next.calls.includes('recovered'), { what: 'the late line' })
  own = next
  assert.deepEqual(await texts(), ['a'])
  assert.equal(await keptLines(own), 0)
})

test('an act on what the database does not hold yet finds it there', async () => {
  const { gates, ledger } = own
  gates.database.set('shut')
  assert.equal((await fails(ledger.commit([stop('behind')]))).code, 'unavailable')
  assert.equal(ledger.fault(), 'the database is behind the journal')
  gates.journal.set('shut')
  gates.database.set('slammed')
  assert.deepEqual(await ledger.commitLate([stop('late')]), { journaled: false, stored: true })
  assert.deepEqual(await frozen(own), ['behind', 'late'])
  gates.journal.set('open')
  await whole()
  assert.deepEqual(
    (await texts()).filter((text) => text !== 'recovered'),
    ['behind', 'late'],
  )
})

test('a journal that can be written is, while the database falls behind: what is owed first', async () => {
  const { gates, ledger } = own
  gates.database.set('shut')
  assert.deepEqual(await ledger.commitLate([stop('first')]), { journaled: true, stored: false })
  assert.deepEqual(await ledger.commitLate([stop('second')]), { journaled: true, stored: false })
  gates.journal.set('shut')
  assert.deepEqual(await ledger.commitLate([stop('owed')]), { journaled: false, stored: false })
  gates.journal.set('open')
  assert.deepEqual(await ledger.commitLate([stop('third')]), { journaled: true, stored: false })
  assert.deepEqual(
    (await texts()).filter((text) => text !== 'recovered'),
    ['first', 'second', 'owed', 'third'],
  )
  assert.deepEqual(await frozen(own), [])
  assert.equal((await fails(ledger.commit([note('refused')]))).code, 'unavailable')
  gates.database.set('open')
  await whole()
  assert.deepEqual(await frozen(own), ['first', 'owed', 'second', 'third'])
  assert.deepEqual(
    (await texts()).filter((text) => text !== 'recovered'),
    ['first', 'second', 'owed', 'third'],
  )
})
