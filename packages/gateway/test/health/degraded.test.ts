// What the supervisor is told of a gateway that decides, and lacks something.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createGroup, fails, token } from '../fixtures/people.ts'
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
