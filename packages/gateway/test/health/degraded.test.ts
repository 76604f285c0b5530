// What the supervisor is told of a gateway that decides, and lacks something.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { mint } from '../fixtures/crowd.ts'
import { createGroup, fails, submit, token } from '../fixtures/people.ts'
import { openSession } from '../fixtures/tools.ts'
import { openGated } from '../ledger/gates.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const healthOf = ({ gateway }: Unit) => gateway.supervisor.health({}, context)

test('a disk without a reserve, and a catalog file that cannot be used, leave a gateway that decides', async () => {
  let kept = true
  const unit = await openUnit({ journal: (journal) => ({ ...journal, hasReserve: () => kept }) })
  assert.deepEqual([(await healthOf(unit)).status, (await healthOf(unit)).degraded], ['ready', []])
  kept = false
  await writeFile(join(unit.dir, 'mcp-catalog.json'), 'half a catalog')
  await fails(async () => unit.gateway.controlPlane.reload({ token }, context))
  const { status, degraded, facts } = await healthOf(unit)
  assert.deepEqual([status, degraded], ['degraded', ['disk', 'catalog']])
  assert.ok(facts['catalog'])
  assert.equal(facts['journal'], undefined)
  await createGroup(unit, 'a')
  kept = true
  await writeFile(join(unit.dir, 'mcp-catalog.json'), '{}')
  await unit.gateway.controlPlane.reload({ token }, context)
  assert.equal((await healthOf(unit)).status, 'ready')
  await unit.close()
  await removeDirectory(unit.dir)
})

test('a stop that is nowhere on disk yet holds, and is told as long as that is so', async () => {
  const unit = await openGated()
  await createGroup(unit, 'a')
  await mint(unit, { name: 'ann', role: 'auditor' })
  const { id: session } = await openSession(unit, 'a')
  const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
  unit.gates.journal.set('shut')
  unit.gates.database.set('shut')
  const { controlPlane } = unit.gateway
  for (const reason of ['the disk is dying', 'did they hear me?'])
    assert.equal((await controlPlane.freeze({ token, reason }, context)).kept, false)
  assert.equal((await controlPlane.decide({ token, id, outcome: 'reject', decidedBy: 'alice' }, context)).kept, false)
  assert.deepEqual(await controlPlane.terminate({ token, session }, context), { kept: false })
  assert.deepEqual(await controlPlane.revokeToken({ token, name: 'ann' }, context), { kept: false })
  const { status, degraded, facts } = await healthOf(unit)
  assert.deepEqual([status, degraded], ['failed', ['journal', 'acts']])
  assert.match(String(facts['acts']), /^4 not on disk yet/)
  unit.gates.journal.set('open')
  unit.gates.database.set('open')
  await waitFor(async () => (await healthOf(unit)).status === 'ready', { what: 'the stop to be on disk', deadline: 60_000 })
  await unit.close()
  await removeDirectory(unit.dir)
})
