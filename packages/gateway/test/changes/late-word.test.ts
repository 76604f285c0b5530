// Words on a change that meet a journal or a database that fails: nobody is told that something was rejected which was not,
// nothing is revived, and a no that was given holds.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { createGroup, decide, fails, read, submit, token } from '../fixtures/people.ts'
import { stages } from '../fixtures/records.ts'
import { context, openUnit, removeDirectory } from '../fixtures/unit.ts'
import { type Gated, openGated } from '../ledger/gates.ts'
import { becomesWhole } from '../ledger/urgent.ts'

let now: number
let unit: Gated
beforeEach(async () => {
  now = Date.UTC(2040, 10, 20)
  unit = await openGated({ clock: () => now })
  await createGroup(unit, 'g')
})
afterEach(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const hold = async (instructions: string) => submit(unit, ['persona', 'g', { instructions }])
const pending = async () => (await unit.gateway.controlPlane.pending({ token, limit: 10 }, context)).items.map(({ id }) => id)

test('a rejection behind an approval that the database has not stored yet stops the change', async () => {
  const { id } = await hold('x')
  unit.gates.database.set('shut')
  assert.equal((await fails(decide(unit, [id, 'approve'], { decidedBy: 'bob' }))).code, 'unavailable')
  unit.gates.database.set('slammed')
  assert.equal((await decide(unit, [id, 'reject'])).state, 'rejected')
  unit.gates.database.set('open')
  await becomesWhole(unit)
  assert.equal((await read(unit, id)).state, 'rejected')
  assert.deepEqual(await stages(unit, id), ['submit', 'approve', 'self-approved', 'reject'])
})

test('what has expired is not approved because that cannot be journaled, and is journaled when it can be', async () => {
  const { id } = await hold('x')
  now += limits.changeTtl
  for (const gate of [unit.gates.journal, unit.gates.database]) {
    gate.set('shut')
    for (const outcome of ['approve', 'reject'] as const) {
      const error = await fails(decide(unit, [id, outcome]))
      assert.match(error.code, /^(change-already-decided|unavailable)$/)
      if (error.code === 'change-already-decided') assert.equal(error.extra?.['state'], 'expired')
    }
    gate.set('open')
    await becomesWhole(unit)
  }
  now -= limits.changeTtl
  assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'change-already-decided')
  assert.deepEqual(await stages(unit, id), ['submit', 'expire'])
})

test('a no holds while what it did cannot be read', async () => {
  let unreadable = false
  const other = await openUnit({
    store: (store) => ({
      ...store,
      read: {
        ...store.read,
        get: (sql, params) =>
          unreadable && sql.includes('FROM changes') ? Promise.reject(new Error('the page is damaged')) : store.read.get(sql, params),
      },
    }),
    journal: (journal) => ({
      ...journal,
      append: async (lines) => {
        unreadable = lines.some(({ stage }) => stage === 'reject')
        return journal.append(lines)
      },
    }),
  })
  await createGroup(other, 'g')
  const { id } = await submit(other, ['persona', 'g', { instructions: 'x' }])
  assert.equal((await decide(other, [id, 'reject'], { reason: 'no' })).state, 'rejected')
  unreadable = false
  assert.equal((await read(other, id)).state, 'rejected')
  assert.equal((await fails(decide(other, [id, 'approve']))).code, 'change-already-decided')
  await other.close()
  await removeDirectory(other.dir)
})

test('a no that neither journal nor database took is in no list, and in the way of every other word', async () => {
  const [first, second] = [await hold('x'), await hold('y')]
  unit.gates.journal.set('shut')
  unit.gates.database.set('shut')
  assert.equal((await decide(unit, [first.id, 'reject'])).state, 'rejected')
  assert.deepEqual(await pending(), [second.id])
  for (const outcome of ['approve', 'reject'] as const) {
    assert.match((await fails(decide(unit, [first.id, outcome]))).code, /^(change-already-decided|unavailable|audit-unwritable)$/)
  }
  unit.gates.journal.set('open')
  unit.gates.database.set('open')
  await waitFor(async () => (await stages(unit, first.id)).includes('reject'), { what: 'the late line' })
  await becomesWhole(unit)
  assert.deepEqual(await stages(unit, first.id), ['submit', 'reject'])
  assert.equal((await fails(decide(unit, [first.id, 'approve']))).code, 'change-already-decided')
})
