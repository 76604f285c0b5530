// How many may listen at once: of all, and of one principal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createEvents, type Listener } from '../../src/events/events.ts'
import { createTestUnit, otherToken } from '../fixtures/unit.ts'

test('refuses a reader beyond the limit, and takes one when another has left', async () => {
  const events = createEvents({ most: { reader: 2, client: 0 } })
  const { request } = createTestUnit({ events })
  const [first] = [await request('GET', '/v1/events'), await request('GET', '/v1/events')]
  const refused = await request('GET', '/v1/events')
  assert.equal(refused.status, 429)
  assert.equal(refused.headers.get('retry-after'), '15')
  await first.body?.cancel()
  assert.equal((await request('GET', '/v1/events')).status, 200)
  events.close()
})

test('refuses a reader of a principal that has as many as it may, whatever its tokens, and takes those of others', async () => {
  const events = createEvents()
  const { request } = createTestUnit({
    events,
    answers: {
      'gateway.permit': ({ token: presented }: { token: string }) => ({
        name: presented === sha256(otherToken) ? 'other' : 'greedy',
        role: 'auditor',
      }),
    },
  })
  const readers = []
  for (let i = 0; i < limits.eventStreamsPerPrincipal; i += 1) readers.push(await request('GET', '/v1/events'))
  assert.deepEqual([...new Set(readers.map(({ status }) => status))], [200])
  const refused = await request('GET', '/v1/events')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '15'])
  assert.match(await refused.text(), /already 16 event streams of greedy/)
  const other = { headers: { authorization: `Bearer ${otherToken}` } }
  assert.equal((await request('GET', '/v1/events', other)).status, 200)
  await readers[0]?.body?.cancel()
  assert.equal((await request('GET', '/v1/events')).status, 200)
  events.close()
})

test('MCP clients and readers of events do not take the places of each other', () => {
  const events = createEvents({ most: { reader: 1, client: 2 } })
  const listener = (kind: Listener['kind'], name: string): Listener => ({
    kind,
    token: null,
    principal: { name },
    hear: () => undefined,
    resume: () => undefined,
    ping: () => undefined,
    end: () => undefined,
  })
  for (const name of ['a', 'b']) events.join(listener('client', name))
  assert.throws(() => events.join(listener('client', 'c')), /already 2 event streams/)
  events.join(listener('reader', 'a'))
  assert.throws(() => events.join(listener('reader', 'c')), /already 1 event streams/)
  events.close()
})
