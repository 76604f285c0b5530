// A freeze that comes while an approval is under way, and its end while the database fails.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { breakable } from '../fixtures/breakable.ts'
import { createGroup, decide, fails, groups, read, submit, token } from '../fixtures/people.ts'
import { stages } from '../fixtures/records.ts'
import { context, openUnit, removeDirectory, type Unit, type UnitOptions } from '../fixtures/unit.ts'

const unitFor = async (t: TestContext, options: UnitOptions): Promise<Unit> => {
  const unit = await openUnit(options)
  t.after(async () => {
    await unit.close()
    await removeDirectory(unit.dir)
  })
  await createGroup(unit, 'a')
  return unit
}

/** A database in which `act` comes between two readings. */
const between = () => {
  const gap: { act?: (() => Promise<void>) | undefined } = {}
  const wrap = (store: Store): Store => ({
    ...store,
    read: {
      ...store.read,
      all: async <R>(sql: string, params?: readonly never[]) => {
        const { act } = gap
        if (act !== undefined && sql.includes('FROM wirings')) {
          gap.act = undefined
          await act()
        }
        return store.read.all<R>(sql, params)
      },
    },
  })
  return { gap, wrap }
}

const freeze = (unit: Unit) => unit.gateway.controlPlane.freeze({ token, reason: 'now' }, context)
const unfreeze = (unit: Unit) => unit.gateway.controlPlane.unfreeze({ token, reason: 'over' }, context)
const frozen = async (unit: Unit) => (await unit.gateway.controlPlane.freezes({ token }, context)).items.length

test('what was approved is not applied once a freeze was answered, and is when it is lifted', async (t) => {
  const { gap, wrap } = between()
  const unit = await unitFor(t, { store: wrap })
  const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
  const append = unit.journal.append.bind(unit.journal)
  unit.journal.append = async (lines) => {
    const appended = await append(lines)
    if (lines.some(({ stage }) => stage === 'approve')) gap.act = async () => void (await freeze(unit))
    return appended
  }
  assert.equal((await decide(unit, [id, 'approve'])).state, 'approved')
  assert.deepEqual(await stages(unit, id), ['submit', 'approve', 'self-approved'])
  assert.equal((await groups(unit))[0]?.persona, '')
  await unfreeze(unit)
  await waitFor(async () => (await read(unit, id)).state === 'applied', { what: 'the change to be applied' })
})

test('a freeze is over once the line that lifts it stands, whatever the database says', async (t) => {
  const { fault, wrap } = breakable()
  const unit = await unitFor(t, { store: wrap })
  await freeze(unit)
  fault.broken = 2
  assert.equal((await fails(() => unfreeze(unit))).code, 'unavailable')
  assert.equal(await frozen(unit), 0)
  await waitFor(async () => (await unit.store.read.all('SELECT scope FROM freezes')).length === 0, { what: 'the database to say so' })
})

test('a freeze whose line failed stands before the end of it that came behind, in the journal and in the database', async (t) => {
  const unit = await unitFor(t, {})
  const append = unit.journal.append.bind(unit.journal)
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  unit.journal.append = async () => {
    unit.journal.append = append
    reached.resolve()
    await held.promise
    throw new Error('the disk says no')
  }
  const frozing = freeze(unit)
  await reached.promise
  const lifting = unfreeze(unit)
  held.resolve()
  await Promise.all([frozing, lifting])
  assert.deepEqual(
    (await stages(unit)).filter((stage) => stage === 'freeze' || stage === 'unfreeze'),
    ['freeze', 'unfreeze'],
  )
  assert.deepEqual([await frozen(unit), await unit.store.read.all('SELECT scope FROM freezes')], [0, []])
})

test('a token whose line stands can be revoked, although nobody was given it', async (t) => {
  const { fault, wrap } = breakable()
  const unit = await unitFor(t, { store: wrap })
  fault.broken = 2
  const make = () => unit.gateway.controlPlane.createToken({ token, wanted: { name: 'ann', role: 'approver' } as never }, context)
  assert.equal((await fails(make)).code, 'unavailable')
  await unit.gateway.controlPlane.revokeToken({ token, name: 'ann' }, context)
  assert.deepEqual(await stages(unit).then((all) => all.slice(-2)), ['token-create', 'token-revoke'])
})
