// A no holds whether the journal or the database can be written or not.
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { createGroup, decide, fails, groups, read, submit, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

/** A database that takes nothing while `broken`. */
const breakable = () => {
  const fault = { broken: false }
  const wrap = (store: Store): Store => ({
    ...store,
    write: async (act) => {
      if (fault.broken) throw new ServiceError('unavailable', { detail: 'the disk says no' })
      return store.write(act)
    },
  })
  return { fault, wrap }
}

const inUnit = async (act: (unit: Unit, fault: { broken: boolean }) => Promise<Unit>): Promise<void> => {
  const { fault, wrap } = breakable()
  const unit = await openUnit({ store: wrap })
  await createGroup(unit, 'g')
  const last = await act(unit, fault)
  await last.close()
  await removeDirectory(unit.dir)
}

const away = (dir: string) => rename(join(dir, 'audit.jsonl'), join(dir, 'audit.jsonl.away'))
const back = (dir: string) => rename(join(dir, 'audit.jsonl.away'), join(dir, 'audit.jsonl'))
const pending = async ({ gateway }: Unit) => (await gateway.controlPlane.pending({ token, limit: 10 }, context)).items

const rejectsWithout = (what: string, broken: boolean): void =>
  void test(`a rejection holds without ${what}, and is journaled once it can be`, () =>
    inUnit(async (unit, fault) => {
      const { id, digest } = await submit(unit, ['persona', 'g', { instructions: 'x' }])
      await away(unit.dir)
      fault.broken = broken
      assert.equal((await fails(decide(unit, [id, 'approve'], { digest }))).code, 'audit-unwritable')
      const change = await decide(unit, [id, 'reject'], { reason: 'no' })
      assert.deepEqual([change.state, change.decisions[0]?.reason], ['rejected', 'no'])
      assert.equal((await read(unit, id)).state, 'rejected')
      assert.deepEqual(await pending(unit), [])
      for (const outcome of ['approve', 'reject'] as const) {
        assert.equal((await fails(decide(unit, [id, outcome]))).code, 'change-already-decided')
      }
      fault.broken = false
      await back(unit.dir)
      await waitFor(async () => (await stages(unit, id)).includes('reject'), { what: 'the late line' })
      await waitFor(
        async () => (await unit.store.read.get<{ state: string }>('SELECT state FROM changes WHERE id = ?', [id]))?.state === 'rejected',
        {
          what: 'its effect',
        },
      )
      assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'change-already-decided')
      const line = (await audit(unit)).find(({ stage, changeID }) => stage === 'reject' && changeID === id)
      assert.ok(line?.detail['late'])
      assert.deepEqual(await stages(unit, id), ['submit', 'reject'])
      assert.notEqual((await groups(unit))[0]?.persona, 'x')
      await unit.close()
      const again = await openUnit({ dir: unit.dir })
      assert.equal((await read(again, id)).state, 'rejected')
      return again
    }))

rejectsWithout('the journal', false)
rejectsWithout('journal and database', true)
