// Ids: the spec's shape, always later than the last, whatever the clock does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGroup, submit } from '../fixtures/people.ts'
import { openUnit, removeDirectory } from '../fixtures/unit.ts'

test('ids only grow while the clock stands, steps back and jumps, and across a restart', async () => {
  const noon = Date.UTC(2096, 10, 20, 12, 53, 1, 999)
  let now = noon
  const first = await openUnit({ clock: () => now })
  await createGroup(first, 'a')
  const ids: string[] = []
  const ask = async (unit: typeof first): Promise<void> => {
    ids.push((await submit(unit, ['persona', 'a', { instructions: 'x' }])).id)
  }
  for (const at of [noon, noon, noon - 3_600_000, noon + 1, noon - 1, noon + 86_400_000, 0]) {
    now = at
    await ask(first)
  }
  await first.close()
  now = 1000
  const second = await openUnit({ dir: first.dir, clock: () => now })
  await ask(second)
  assert.deepEqual(ids, [...new Set(ids)].toSorted())
  assert.equal(ids[0], 'chg_20961120125301.999000001')
  assert.ok((ids.at(-1) ?? '') > 'chg_20961121125301.999000001')
  await second.close()
  await removeDirectory(first.dir)
})
