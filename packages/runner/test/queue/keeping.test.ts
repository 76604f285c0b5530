// Queues held still for a backup, and messages that are kept no longer.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MessageID, SessionID } from '@gatehouse/contracts'
import { accept, acknowledge } from '../../src/queue/accept.ts'
import { list } from '../../src/queue/list.ts'
import { openQueue } from '../../src/queue/open.ts'
import { Hold } from '../../src/queue/pool.ts'
import { forgetBefore, hasBefore } from '../../src/queue/remove.ts'
import { aboutOf, openPlace } from '../fixtures/queues.ts'

const session = 'ses_aaaaaaaaaaaaa' as SessionID
const other = 'ses_bbbbbbbbbbbbb' as SessionID

describe('queues that are held', { timeout: 60_000 }, () => {
  it('let what runs end, and nothing begin until they are let go', async () => {
    const hold = new Hold()
    const running = Promise.withResolvers<void>()
    const order: string[] = []
    const first = hold.during(session, () => running.promise.then(() => order.push('first ended')))
    const held = hold.hold().then((id) => (order.push('held'), id))
    const second = hold.during(other, () => Promise.resolve(order.push('second')))
    running.resolve()
    const id = await held
    await first
    assert.deepEqual(order, ['first ended', 'held'])
    assert.equal(hold.release(id), true)
    await second
    assert.deepEqual(order, ['first ended', 'held', 'second'])
  })

  it('tell whose were used since the last time', async () => {
    const hold = new Hold()
    await hold.during(session, () => Promise.resolve())
    assert.deepEqual(hold.takeTouched(), [session])
    assert.deepEqual(hold.takeTouched(), [])
    await hold.during(other, () => Promise.reject(new Error('failed'))).catch(() => undefined)
    assert.deepEqual(hold.takeTouched(), [other])
  })

  it('go on by themselves when nobody lets them go, which is then told', async () => {
    const hold = new Hold()
    const id = await hold.hold(1)
    await hold.during(session, () => Promise.resolve())
    assert.equal(hold.release(id), false)
  })

  it('are let go by whoever held them last alone', async () => {
    const hold = new Hold()
    const [early, late] = [await hold.hold(), await hold.hold()]
    assert.equal(hold.release(early), false)
    assert.equal(hold.release(late), true)
  })
})

describe('messages that are kept no longer', { timeout: 60_000 }, () => {
  const year = (of: number) => `${of}-11-20T12:53:01.000Z`
  const incoming = (seq: number, of: number) => ({ id: `m-${seq}` as MessageID, seq, from: 'user' as const, text: 'x', at: year(of) })

  it('go, but for what waits for the agent and for the newest, whose number is the last that was given', async (t) => {
    const { store } = await openQueue(await openPlace(t), aboutOf('a'))
    for (const [seq, of] of [
      [1, 2020],
      [2, 2020],
      [3, 2024],
      [4, 2020],
    ] as const)
      await accept(store, incoming(seq, of))
    for (const id of ['m-1', 'm-3', 'm-4']) await acknowledge(store, id as MessageID)
    assert.equal(await hasBefore(store, year(2022)), true)
    assert.equal((await forgetBefore(store, year(2022))).forgotten, 1)
    assert.deepEqual(
      (await list(store, { limit: 10 })).map(({ seq }) => seq),
      [2, 3, 4],
    )
    assert.equal(await hasBefore(store, year(2022)), false)
    await store.close()
  })

  it('take along that they were not delivered, also where they went before that was so', async (t) => {
    const { store } = await openQueue(await openPlace(t), aboutOf('a'))
    const insert = 'INSERT INTO dead_letters (id, seq, reason, at) VALUES (?, ?, ?, ?)'
    await accept(store, incoming(1, 2024))
    await store.write((tx) => tx.run(insert, ['m-1', 1, 'gone', year(2020)]))
    assert.equal(await hasBefore(store, year(2022)), false)
    await store.write((tx) => tx.run(insert, ['m-0', 0, 'gone', year(2024)]))
    assert.equal(await hasBefore(store, year(2022)), true)
    const { letters, left } = await forgetBefore(store, year(2022))
    assert.deepEqual([letters, left.dead, await hasBefore(store, year(2022))], [['m-0'], 1, false])
    await store.close()
  })
})
