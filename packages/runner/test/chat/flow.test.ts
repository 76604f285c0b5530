// A message's way: accepted, delivered, answered, read back.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openUnit } from '../fixtures/unit.ts'

describe('chat', { timeout: 30_000 }, () => {
  it('answers a message by an agent in a process of its own', async (t) => {
    const unit = await openUnit(t)
    assert.equal(await unit.chat('hello'), 'echo: hello')
    assert.equal((await unit.inState('live')).launches, 1)
  })
})
