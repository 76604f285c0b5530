// One session's queue: in order, once, bounded.
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { limits, type MessageID } from '@gatehouse/contracts'
import { accept, acknowledge, reply } from '../../src/queue/accept.ts'
import { deliver, list } from '../../src/queue/list.ts'
import { openQueue } from '../../src/queue/open.ts'
import { aboutOf, openPlace } from '../fixtures/queues.ts'

const at = '2026-11-20T12:53:01.000Z'
const incoming = (seq: number, from: 'user' | 'system' = 'user') => ({ id: `m-${seq}` as MessageID, seq, from, text: `text ${seq}`, at })

describe('a queue', { timeout: 300_000 }, () => {
  it('delivers what is not acknowledged, oldest first', async (t) => {
    const { store } = await openQueue(await openPlace(t), aboutOf('a'))
    for (const seq of [1, 2, 3]) assert.equal((await accept(store, incoming(seq))).waiting, seq)
    assert.equal(await acknowledge(store, 'm-2' as MessageID), 2)
    assert.deepEqual(
      (await deliver(store)).map(({ id }) => id),
      ['m-1', 'm-3'],
    )
    await store.close()
  })

  it('takes the same id once', async (t) => {
    const { store } = await openQueue(await openPlace(t), aboutOf('a'))
    assert.deepEqual(await accept(store, incoming(1)), { stored: true, waiting: 1 })
    assert.deepEqual(await accept(store, { ...incoming(1), seq: 2 }), { stored: false, waiting: 1 })
    const answer = { id: 'r-m-1-1' as MessageID, from: 'agent', text: 'x', at, inReplyTo: 'm-1' as MessageID } as const
    assert.equal((await reply(store, { ...answer, seq: 2 })).stored, true)
    assert.equal((await reply(store, { ...answer, seq: 3 })).stored, false)
    assert.deepEqual(
      (await list(store, { limit: 10 })).map(({ seq }) => seq),
      [1, 2],
    )
    await store.close()
  })

  it('is full at the limit for people, never for the host, and takes more when something is acknowledged', async (t) => {
    const { store } = await openQueue(await openPlace(t), aboutOf('a'))
    await store.write(async (tx) => {
      for (let seq = 1; seq <= limits.queueMessages; seq += 1) {
        await tx.run("INSERT INTO messages (id, seq, direction, sender, text, at) VALUES (?, ?, 'in', 'user', 'x', ?)", [
          `m-${seq}`,
          seq,
          at,
        ])
      }
    })
    await assert.rejects(accept(store, incoming(limits.queueMessages + 1)), { code: 'queue-full' })
    assert.equal((await accept(store, incoming(limits.queueMessages + 1, 'system'))).stored, true)
    for (const id of ['m-1', 'm-2']) await acknowledge(store, id as MessageID)
    assert.equal((await accept(store, incoming(limits.queueMessages + 2))).stored, true)
    await store.close()
  })

  it('refuses to acknowledge what was never in the inbox', async (t) => {
    const { store } = await openQueue(await openPlace(t), aboutOf('a'))
    await accept(store, incoming(1))
    await reply(store, { id: 'r-1' as MessageID, seq: 2, from: 'agent', text: 'x', at })
    for (const id of ['m-9', 'r-1']) await assert.rejects(acknowledge(store, id as MessageID), { code: 'not-found' })
    await store.close()
  })

  it('lies in files that their owner alone may read', async (t) => {
    const place = await openPlace(t)
    const about = aboutOf('a')
    const { store } = await openQueue(place, about)
    for (const path of [`queues/${about.id}.db`, `keys/${about.id}.key`])
      assert.equal((await stat(`${place.stateDir}/${path}`)).mode & 0o777, 0o600)
    await store.close()
  })
})
