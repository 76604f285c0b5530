// Events reach every caller, in order, and harm none.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { type EdgeServer, serveEdge } from '../src/index.ts'
import { caller, edge, handlers, pair, scratch, secret, type TestEdge } from './fixtures/edge.ts'
import { greeted, request } from './fixtures/raw.ts'

test('come to every connected caller, in order and once, though it has two connections', async (context) => {
  const heard: number[] = []
  const other: number[] = []
  const { server, path, calls } = await pair(context, {}, { on: { tick: ({ n }) => void heard.push(n) } })
  const second = caller(context, { path, on: { tick: ({ n }) => void other.push(n) } })
  await calls.large({ text: 'opens the second connection' })
  await second.calls.echo({ text: 'connected' })
  const sent = Array.from({ length: 100 }, (_, n) => n)
  for (const n of sent) server.publish('tick', { n })
  await waitFor(() => heard.length === 100 && other.length === 100, { what: 'all events' })
  assert.deepEqual([heard, other], [sent, sent])
})

test('can be published before anybody can connect, so that nobody who does misses one', async (context) => {
  const path = await scratch(context)
  const opened: boolean[] = []
  const opening = (server: EdgeServer<TestEdge>): void => {
    opened.push(existsSync(path))
    server.publish('tick', { n: 1 })
  }
  const server = await serveEdge(edge, { path, secret, handlers, opening })
  context.after(() => server.close())
  assert.deepEqual(opened, [false])
})

test('can be said again to each caller that comes, and to none twice for its second connection', async (context) => {
  const path = await scratch(context)
  const server: EdgeServer<TestEdge> = await serveEdge(edge, { path, secret, handlers, onCaller: () => server.publish('tick', { n: 1 }) })
  context.after(() => server.close())
  const heard: number[] = []
  const first = caller(context, { path, on: { tick: ({ n }) => void heard.push(n) } })
  await first.calls.large({ text: 'opens the second connection' })
  await first.calls.echo({ text: 'connected' })
  assert.deepEqual(heard, [1])
  await caller(context, { path }).calls.echo({ text: 'another one' })
  await waitFor(() => heard.length === 2, { what: 'the event for the other' })
})

test('do not travel on the connection for large calls', async (context) => {
  const { server, path } = await pair(context)
  const raw = await greeted(context, path, { edge, secret, lane: 'large' })
  raw.send(request('echo', { text: 'in' }, 1))
  await raw.next()
  server.publish('tick', { n: 1 })
  raw.send(request('echo', { text: 'after the event' }, 2))
  assert.deepEqual((await raw.next()).r, { text: 'after the event' })
})

test('a listener that throws is logged and harms nothing', async (context) => {
  const heard: number[] = []
  const listener = ({ n }: { n: number }) => {
    heard.push(n)
    throw new Error('broken')
  }
  const { server, lines, calls } = await pair(context, {}, { on: { tick: listener, tock: (event) => listener(event) } })
  server.publish('tick', { n: 1 })
  server.publish('tock', { n: 2 })
  server.publish('tick', { n: 3 })
  await waitFor(() => lines.length === 3, { what: 'three lines' })
  assert.deepEqual(heard, [1, 2, 3])
  assert.ok(lines.every(({ message }) => message === 'listener failed'))
  assert.deepEqual(await calls.echo({ text: 'x' }), { text: 'x' })
})

test('one that does not fit its schema is dropped and logged', async (context) => {
  const heard: number[] = []
  const { server, lines } = await pair(context, {}, { on: { tick: ({ n }) => void heard.push(n) } })
  server.publish('tick', { n: 'one' } as never)
  server.publish('unheard-of' as never, {} as never)
  server.publish('tock', { n: 1 })
  server.publish('tick', { n: 2 })
  await waitFor(() => heard.length === 1, { what: 'the good one' })
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['event refused', 'event refused: it is none of this edge'],
  )
})

test('one that is too large is logged and not sent; nobody connected is no error', async (context) => {
  const { server, lines, client } = await pair(context)
  server.publish('tick', { n: 1, text: 'x'.repeat(limits.rpcFrame) } as never)
  await waitFor(() => lines.some(({ message }) => message === 'event not sent'), { what: 'a line' })
  assert.equal(client.connected(), true)
  client.close()
  await waitFor(() => !client.connected(), { what: 'the end' })
  server.publish('tick', { n: 1 })
})

test('a caller that does not read is cut off', async (context) => {
  const { server, path, lines } = await pair(context)
  const raw = await greeted(context, path, { edge, secret })
  raw.socket.pause()
  const payload = { n: 1, text: 'x'.repeat(limits.rpcFrame - 100) } as never
  await waitFor(() => (server.publish('tick', payload), lines.some(({ reason }) => reason?.includes('that reads its events'))), {
    what: 'the cut',
  })
})
