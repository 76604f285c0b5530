// Texts that try to be read as something else go through the whole gateway as they are, and come out as they were.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visible } from '@gatehouse/contracts'
import { createGroup, decide, groups, read, submit } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { hostile } from '../fixtures/hostile.ts'
import { openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit()
await createGroup(unit, 'a')

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
