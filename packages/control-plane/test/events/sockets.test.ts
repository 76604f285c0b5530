// Streams on real sockets: many readers, readers that do not read, readers that come again.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { UnitEvent } from '@gatehouse/client'
import { isServiceError, type News, ServiceError } from '@gatehouse/contracts'
import { sha256, waitFor } from '@gatehouse/kernel'
import { createEvents } from '../../src/events/events.ts'
import { createJournal } from '../fixtures/journal.ts'
import { startServer } from '../fixtures/server.ts'
import { otherToken, token } from '../fixtures/unit.ts'

const numbersOf = (told: readonly UnitEvent[]): number[] => told.flatMap((event) => (event.type === 'news' ? [event.news.seq] : []))
const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1)

/** Reads with the client until it is told to stop. */
const collect = (client: Awaited<ReturnType<typeof startServer>>['clientOf'] extends () => infer C ? C : never, after?: number) => {
  const stop = new AbortController()
  const told: UnitEvent[] = []
  let opened = 0
  const run = async (): Promise<unknown> => {
    try {
      for await (const event of client.events({ after, signal: stop.signal, retry: 10, onOpen: () => (opened += 1) })) told.push(event)
      return 'ended'
    } catch (error) {
      return error
    }
  }
  return { told, done: run(), stop: () => stop.abort(), opened: () => opened }
}

test('tells two hundred readers every line in order', async (t) => {
  const events = createEvents({ mostOfOne: 200 })
  const journal = createJournal(events)
  const { clientOf } = await startServer(t, { events, answers: journal.answers })
  const readers = Array.from({ length: 200 }, () => collect(clientOf(), 0))
  t.after(() => readers.forEach(({ stop }) => stop()))
  await waitFor(() => events.count() === 200, { what: 'two hundred readers' })
  for (let i = 0; i < 50; i += 1) journal.write(10)
  await waitFor(() => readers.every(({ told }) => told.length === 500), { what: 'every line at every reader', deadline: 60_000 })
  for (const { told } of readers) assert.deepEqual(numbersOf(told), upTo(500))
})

test('cuts off a reader that does not read, which holds up nobody and resumes where it was', async (t) => {
  const events = createEvents()
  const journal = createJournal(events)
  const { port, host, auth, clientOf } = await startServer(t, { events, answers: journal.answers })
  const lazy = connect(port, '127.0.0.1')
  lazy.on('error', () => undefined)
  t.after(() => lazy.destroy())
  lazy.write(`GET /v1/events?after=0 HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n`)
  const busy = collect(clientOf(), 0)
  t.after(busy.stop)
  await waitFor(() => events.count() === 2, { what: 'two readers' })
  await waitFor(
    () => {
      journal.write(2_000)
      return events.count() === 1
    },
    { what: 'the lazy reader to be cut off', deadline: 30_000 },
  )
  await waitFor(() => busy.told.length === journal.lines.length, { what: 'every line at the busy reader', deadline: 60_000 })
  const chunks: Buffer[] = []
  lazy.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(lazy, 'close')
  const last = Number(
    [
      ...Buffer.concat(chunks)
        .toString()
        .matchAll(/^id: (\d+)$/gm),
    ].at(-1)?.[1],
  )
  assert.ok(last > 0 && last < journal.lines.length, String(last))
  const again = collect(clientOf(), Math.max(last, journal.lines.length - 5_000))
  t.after(again.stop)
  await waitFor(() => numbersOf(again.told).at(-1) === journal.lines.length, { what: 'the last line', deadline: 60_000 })
})

test('cuts off a reader that stops reading what it missed', async (t) => {
  const events = createEvents({ pingEvery: 50 })
  const journal = createJournal(events)
  journal.lines.push(...Array.from({ length: 9_000 }, (_, i) => ({ ...journalLine(i + 1), by: 'x'.repeat(2_000) })))
  const { port, host, auth } = await startServer(t, { events, answers: journal.answers })
  const lazy = connect(port, '127.0.0.1')
  lazy.on('error', () => undefined)
  t.after(() => lazy.destroy())
  lazy.write(`GET /v1/events?after=0 HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n`)
  await waitFor(() => events.count() === 1, { what: 'a reader' })
  await waitFor(() => events.count() === 0, { what: 'the reader to be cut off' })
})

const journalLine = (seq: number): News => ({ seq, time: '2026-01-02T03:04:05.678Z', stage: 'apply', principal: 'admin' })

test('ends the connections of a revoked token, while others go on, and refuses it from then on', async (t) => {
  const events = createEvents()
  const journal = createJournal(events)
  let revoked = false
  const { clientOf } = await startServer(t, {
    events,
    answers: {
      ...journal.answers,
      'gateway.permit': ({ token: presented }: { token: string }) => {
        if (revoked && presented === sha256(token)) throw new ServiceError('unauthorized')
        return { name: 'a', role: 'auditor' }
      },
    },
  })
  const mine = collect(clientOf())
  const other = collect(clientOf(otherToken))
  t.after(other.stop)
  t.after(mine.stop)
  await waitFor(() => mine.opened() + other.opened() === 2, { what: 'two streams' })
  revoked = true
  events.revoke(sha256(token))
  const end = await mine.done
  assert.ok(isServiceError(end) && end.code === 'unauthorized', String(end))
  journal.write(1)
  await waitFor(() => other.told.length === 1, { what: 'news at the other' })
})

test('takes up again where the unit was stopped', async (t) => {
  const journal = createJournal()
  journal.write(3)
  const first = await startServer(t, { answers: journal.answers })
  const reader = collect(first.clientOf(), 0)
  t.after(reader.stop)
  await waitFor(() => reader.told.length === 3, { what: 'three lines' })
  await first.stop()
  journal.write(2)
  await startServer(t, { answers: journal.answers, times: { port: first.port } })
  await waitFor(() => reader.told.length === 5, { what: 'five lines' })
  assert.deepEqual(numbersOf(reader.told), upTo(5))
})

test('leaves nothing behind when readers go', async (t) => {
  const events = createEvents({ mostOfOne: 20 })
  const { clientOf } = await startServer(t, { events })
  const readers = Array.from({ length: 20 }, () => collect(clientOf()))
  await waitFor(() => events.count() === 20, { what: 'twenty readers' })
  for (const { stop } of readers) stop()
  assert.deepEqual(
    await Promise.all(readers.map(({ done }) => done)),
    readers.map(() => 'ended'),
  )
  await waitFor(() => events.count() === 0, { what: 'no reader' })
})
