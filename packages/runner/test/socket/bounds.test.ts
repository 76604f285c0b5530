// session.sock: how much an agent may say, and that what is said fills no disk.
import assert from 'node:assert/strict'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { ask } from '../fixtures/door.ts'
import { codeOf, openRoom } from '../fixtures/room.ts'
import { noDriver, Unit } from '../fixtures/unit.ts'

describe('POST /outbox', { timeout: 120_000 }, () => {
  it('takes so many messages at once, and one more for each that the agent is given', async (t) => {
    const words = limits as Record<'agentWords' | 'agentWordsPerMinute', number>
    t.mock.property(words, 'agentWords', 3)
    t.mock.property(words, 'agentWordsPerMinute', 0)
    const { unit, call } = await openRoom(t)
    const post = (id: string, more: object = {}) =>
      call({ method: 'POST', path: '/outbox', body: JSON.stringify({ id, text: 'x', ...more }) })
    for (const id of ['r-1', 'r-2']) assert.equal((await post(id)).status, 202)
    // What is refused costs a word too: it makes the host look.
    assert.equal(codeOf(await post('r-3', { files: ['/workspace/none'] })), 'not-found')
    assert.equal(codeOf(await post('r-3')), 'rate-limited')
    await unit.send('more')
    assert.equal((await post('r-3')).status, 202)
    assert.equal(codeOf(await post('r-4')), 'rate-limited')
  })

  it('takes nothing more of the agents of a group that has said what its conversations may hold, and says so to people', async (t) => {
    const share = t.mock.property(limits, 'queueBytesByGroup', 512 * 1024)
    const { unit, call } = await openRoom(t)
    const post = (id: string) => call({ method: 'POST', path: '/outbox', body: JSON.stringify({ id, text: 'x'.repeat(200 * 1024) }) })
    for (const id of ['r-1', 'r-2', 'r-3']) assert.equal((await post(id)).status, 202)
    for (const id of ['r-4', 'r-5']) assert.equal(codeOf(await post(id)), 'queue-full')
    assert.equal((await post('r-3')).status, 202)
    await unit.send('people go on')
    await waitFor(async () => (await unit.texts()).some((text) => text.includes('can say nothing more')), { what: 'a word to people' })
    // Also after a restart, which counts anew.
    await unit.stop()
    await unit.start()
    const again = () => post('r-6').catch(() => undefined)
    assert.equal(codeOf(await waitFor(again, { what: 'an answer' })), 'queue-full')
    const told = (await unit.messages()).filter(({ from }) => from === 'system')
    assert.ok(told.length >= 1 && told.length <= 2, `told ${told.length} times`)
    share.mock.mockImplementation(1024 * 1024)
    assert.equal((await post('r-6')).status, 202)
  })

  it('stops taking messages before the disk is full, from agents and people', { skip: noSmallDisk }, async () => {
    await onSmallDisk('48m', async (home) => {
      const unit = new Unit(home, { driver: await noDriver(join(import.meta.dirname, '../fixtures/silent.mjs')) })
      try {
        await unit.start()
        const { sessionId } = await unit.send('hello')
        const socket = `${unit.runDir}/session/${sessionId}/session.sock`
        const post = (count: number) =>
          ask(socket, { method: 'POST', path: '/outbox', body: JSON.stringify({ id: `r-${count}`, text: 'x'.repeat(limits.messageText) }) })
        await waitFor(() => ask(socket, { method: 'GET', path: '/session' }).catch(() => undefined), { what: 'a socket' })
        let count = 0
        while ((await post(count)).status === 202) count += 1
        const { bavail, blocks, bsize } = await statfs(unit.stateDir)
        // The log of the database is folded into it 4 MiB at a time.
        assert.ok(bavail * bsize > (blocks * bsize) / 8 - 5 * 1024 * 1024, `${bavail * bsize} bytes are left`)
        assert.equal(codeOf(await post(count)), 'unavailable')
        assert.equal((await post(0)).status, 202)
        await assert.rejects(unit.send('more'), { code: 'unavailable', message: /on the disk of the unit/ })
      } finally {
        await unit.stop()
      }
    })
  })
})
