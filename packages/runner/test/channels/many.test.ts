// Thousands of conversations of channels: what waits and what died is told at once, whoever has them open.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { test } from 'node:test'
import type { MessageID, SessionID } from '@gatehouse/contracts'
import { silentLogger } from '@gatehouse/kernel'
import { accept, acknowledge, reply } from '../../src/queue/accept.ts'
import { deadLetter, noteDelivered } from '../../src/queue/delivery.ts'
import { openQueue, type QueuePlace } from '../../src/queue/open.ts'
import { openUnit } from '../fixtures/unit.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const conversations = isFull ? 2_000 : 40
const context = { requestId: 'test', traceparent: undefined, signal: new AbortController().signal }

const sessionOf = (count: number): SessionID =>
  `ses_${String(count)
    .padStart(13, '0')
    .split('')
    .map((digit) => 'abcdefghij'[Number(digit)])
    .join('')}` as SessionID

/** Of ten, one is dead, one waits, the rest was taken. */
const converse = async (place: QueuePlace, count: number): Promise<void> => {
  const { store } = await openQueue(place, {
    id: sessionOf(count),
    agentGroupID: 'dev-agent' as never,
    conversationID: `slack:C${count}` as never,
  })
  const at = new Date(Date.now() - 1_000 * count).toISOString()
  const [id, seq] = [`c-${count}` as MessageID, 2 * count + 1]
  const origin = { channel: 'slack', author: 'U1', reference: { address: 'C1' } } as const
  await accept(store, { id, seq, from: 'user', text: 'hello', at, origin })
  await acknowledge(store, id)
  await reply(store, { id: `r-${id}-1` as MessageID, seq: seq + 1, from: 'agent', text: 'hello', at, inReplyTo: id })
  if (count % 10 === 0) await deadLetter(store, { seq: seq + 1, reason: 'gone', at })
  else if (count % 10 !== 1) await noteDelivered(store, seq + 1)
  await store.close()
}

test(`${conversations} conversations are counted from memory, the newest dead letters first`, { timeout: 600_000 }, async (t) => {
  const unit = await openUnit(t)
  await unit.stop()
  const place = { stateDir: unit.stateDir, wrapping: Buffer.alloc(32, 7), log: silentLogger }
  await mkdir(`${place.stateDir}/queues`, { recursive: true })
  for (let count = 0; count < conversations; count += 1) await converse(place, count)
  await unit.start()
  const began = performance.now()
  const { counts, letters } = await unit.runner.channels.letters({ channels: ['slack'], limit: 50 }, context)
  t.diagnostic(`${conversations} conversations: ${(performance.now() - began).toFixed(2)} ms`)
  const tenth = conversations / 10
  assert.deepEqual(counts, [{ channel: 'slack', waiting: tenth, dead: tenth }])
  assert.deepEqual(
    letters.map(({ conversationId }) => conversationId),
    Array.from({ length: Math.min(50, tenth) }, (_, index) => `slack:C${10 * index}`),
  )
})
