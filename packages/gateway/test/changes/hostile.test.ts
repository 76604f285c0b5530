// Texts that try to be read as something else go through the whole gateway as they are, and come out as they were.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { visible } from '@gatehouse/contracts'
import { audit, createGroup, decide, groups, read, submit } from '../fixtures/people.ts'
import { hostile } from '../fixtures/hostile.ts'
import { openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

let unit: Unit
before(async () => {
  unit = await openUnit()
  await createGroup(unit, 'a')
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

test('a persona, the reason for it and the label of who asks are kept and applied as they were sent', async () => {
  for (const text of hostile) {
    const label = text.slice(0, 120)
    const { id, digest } = await submit(unit, ['persona', 'a', { instructions: text }], { reason: text, requestedBy: label })
    const change = await read(unit, id)
    assert.deepEqual([change.after['instructions'], change.reason, change.requestedBy], [text, text, label])
    assert.equal(change.summary, visible(change.summary))
    await decide(unit, [id, 'approve'], { digest, reason: text })
    assert.equal((await groups(unit))[0]?.persona, text)
  }
  const kept = JSON.stringify((await audit(unit)).map(({ detail }) => detail))
  for (const text of hostile) assert.ok(kept.includes(JSON.stringify(text).slice(1, -1)), JSON.stringify(text))
})
