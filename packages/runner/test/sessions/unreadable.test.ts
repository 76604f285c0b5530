// A queue that cannot be read parks its own session and no other.
import assert from 'node:assert/strict'
import { truncate } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { openUnit } from '../fixtures/unit.ts'

describe('a session whose queue cannot be read', { timeout: 300_000 }, () => {
  it('is parked with the reason, takes no message, and holds up nobody', async (t) => {
    const unit = await openUnit(t)
    const broken = await unit.send('one', 'broken')
    await unit.replyTo(broken.messageId)
    await unit.chat('two')
    await unit.stop()
    await truncate(`${unit.stateDir}/queues/${broken.sessionId}.db`, 0)
    await unit.start()
    const find = async () => (await unit.allSessions()).find(({ state }) => state === 'parked')
    const parked = await waitFor(find, { what: 'a parked session' })
    assert.equal(parked.id, broken.sessionId)
    assert.match(parked.lastExit ?? '', /is empty/)
    await assert.rejects(unit.send('three', 'broken'), { code: 'conflict', hint: /backup/ })
    assert.equal(await unit.chat('four'), 'echo: four')
    assert.deepEqual(await unit.texts(), ['two', 'echo: two', 'four', 'echo: four'])
  })
})
