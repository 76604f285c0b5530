// What was done to a stopped unit: journaled at its next start, once; and after a restore the unit is frozen.
import assert from 'node:assert/strict'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { hostActsFile, type HostAct } from '@gatehouse/contracts'
import { createGroup, token } from '../fixtures/people.ts'
import { context, newDirectory, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const at = '2026-01-02T03:04:05.000Z'
const restored: HostAct = {
  stage: 'restored',
  id: '1'.repeat(32),
  at,
  createdAt: at,
  head: { seq: 3, hash: 'a'.repeat(64) },
  release: '1.2.3',
}
const epoch: HostAct = { stage: 'epoch', id: '2'.repeat(32), at, epoch: 2 }
const reset: HostAct = { stage: 'token-create', id: '3'.repeat(32), at }

const leave = (dir: string, acts: readonly HostAct[]): Promise<void> =>
  writeFile(join(dir, hostActsFile), JSON.stringify(acts), { mode: 0o600 })
const isGone = (dir: string): Promise<boolean> =>
  access(join(dir, hostActsFile)).then(
    () => false,
    () => true,
  )
const linesOf = async ({ gateway }: Unit, stage: string) => (await gateway.controlPlane.audit({ token, limit: 50, stage }, context)).items
const frozen = async ({ gateway }: Unit) => (await gateway.controlPlane.freezes({ token }, context)).items

/** A unit that was stopped, with these acts on its state. */
const stoppedWith = async (t: TestContext, acts: readonly HostAct[], before: (unit: Unit) => unknown = () => undefined) => {
  const dir = await newDirectory()
  t.after(() => removeDirectory(dir))
  const unit = await openUnit({ dir })
  await before(unit)
  await unit.close()
  await leave(dir, acts)
  return dir
}

test('after a restore the unit is frozen, says why, and lists tokens and grants in its journal', async (t) => {
  const dir = await stoppedWith(t, [restored], (unit) =>
    unit.gateway.controlPlane.createToken({ token, wanted: { name: 'ann', role: 'approver' } as never }, context),
  )
  const unit = await openUnit({ dir })
  const [freeze, ...others] = await frozen(unit)
  assert.match(
    freeze?.reason ?? '',
    /^Restored from the backup of 2026-01-02T03:04:05\.000Z: tokens and grants revoked since then are valid again/,
  )
  assert.deepEqual([freeze?.by, others], ['host', []])
  const [line] = await linesOf(unit, 'restored')
  assert.deepEqual([line?.by, line?.detail['head'], line?.detail['tokens'], line?.detail['grants']], ['host', restored.head, ['ann'], []])
  assert.ok(await isGone(dir))
  await unit.close()
  const again = await openUnit({ dir })
  assert.equal((await frozen(again)).length, 1, 'a freeze lasts over a start')
  await again.gateway.controlPlane.unfreeze({ token, reason: 'looked' }, context)
  assert.deepEqual(await frozen(again), [])
  await again.close()
})

test('a freeze that was there before gives way to the one that says why', async (t) => {
  const dir = await stoppedWith(t, [restored], (unit) => unit.gateway.controlPlane.freeze({ token, reason: 'alarm' }, context))
  const unit = await openUnit({ dir })
  const reasons = (await frozen(unit)).map(({ reason }) => reason)
  assert.equal(reasons.length, 1)
  assert.match(reasons[0] ?? '', /^Restored/)
  assert.match(String((await linesOf(unit, 'unfreeze'))[0]?.detail['reason']), /alarm/)
  await unit.close()
})

test('a gateway that died before it forgot an act journals it no second time', async (t) => {
  const dir = await stoppedWith(t, [restored, epoch, reset], createGroupIn)
  for (let start = 0; start < 3; start += 1) {
    const unit = await openUnit({ dir })
    for (const stage of ['restored', 'epoch', 'token-create'])
      assert.equal((await linesOf(unit, stage)).length, 1, `${stage} at start ${start}`)
    assert.equal((await frozen(unit)).length, 1)
    await unit.close()
    await leave(dir, [restored, epoch, reset])
  }
})

const createGroupIn = (unit: Unit): Promise<unknown> => createGroup(unit, 'a')
