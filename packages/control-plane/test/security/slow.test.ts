// Connections that are held with nearly nothing: all are closed in time, and probes are answered meanwhile.
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import type { Hono } from 'hono'
import type { Env } from '../../src/env.ts'
import { startPlain, startServer } from '../fixtures/server.ts'
import { silent, type Slow, slowBody, slowHeaders, type SlowOptions, slowRead } from '../fixtures/slow.ts'
import { files, page } from '../fixtures/unit.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const count = full ? 1_000 : 240
const readers = full ? 40 : 12
/** Much more than the kernel takes for a reader that does not read. */
const large = 12 * 1024 * 1024
const quick = { headersTime: 400, requestTime: 800, responseTime: 600, checkEvery: 50 }
const inTime = full ? limits.headersTime + limits.requestTime : 60_000

const attack = (options: SlowOptions): Slow[] =>
  Array.from({ length: count }, (_, index) => [slowHeaders, slowBody, silent][index % 3]?.(options)).filter((slow) => slow !== undefined)

test('closes every connection that never comes to its point, and answers probes meanwhile', async (t) => {
  const { port, host, auth } = await startServer(t, full ? {} : { times: quick })
  const slow = attack({ port, host, auth, every: 100 })
  t.after(() => slow.forEach((one) => one.destroy()))
  let probes = 0
  const open = (): number => slow.filter((one) => !one.closed()).length
  await waitFor(
    async () => {
      for (const path of ['/healthz', '/readyz']) {
        const { status } = await fetch(`http://${host}${path}`, { signal: AbortSignal.timeout(60_000) })
        assert.equal(status, 200)
        probes += 1
      }
      return open() === 0
    },
    { what: 'every slow connection to be closed', deadline: inTime, every: 50 },
  )
  assert.ok(probes >= 4)
})

/** The sockets of a listener, as its application sees them. */
const watchSockets = (seen: Set<Socket>) => (made: Hono<Env>) => {
  const fetch: typeof made.fetch = (request, bindings) => {
    const socket = (bindings as Env['Bindings']).incoming?.socket
    if (socket instanceof Socket && new URL(request.url).pathname.endsWith('large.txt')) seen.add(socket)
    return made.fetch(request, bindings)
  }
  return { fetch } as Hono<Env>
}

test('closes the connections of those who do not take their answers, also where they ask for several', async (t) => {
  const body = page('x'.repeat(large), 'text/plain; charset=utf-8', 'no-cache')
  const sockets = new Set<Socket>()
  const { port, host, auth } = await startServer(t, {
    console: new Map([...files, ['large.txt', body]]),
    // A question that comes late on a busy machine is no matter here.
    times: full ? {} : { responseTime: quick.responseTime, checkEvery: quick.checkEvery },
    app: watchSockets(sockets),
  })
  const slow = Array.from({ length: readers }, () => slowRead({ port, host, auth, every: 0 }, '/ui/large.txt'))
  t.after(() => slow.forEach((one) => one.destroy()))
  await waitFor(() => sockets.size === readers, { what: 'every reader' })
  await waitFor(
    async () => {
      assert.equal((await fetch(`http://${host}/healthz`)).status, 200)
      return [...sockets].every(({ destroyed }) => destroyed)
    },
    { what: 'every reader to be cut off', deadline: full ? limits.responseTime + 5_000 : 60_000, every: 50 },
  )
  const taken = await Promise.all(slow.map((one) => one.drain()))
  for (const bytes of taken) assert.ok(bytes < large, `${bytes} of ${large} were kept for a reader that did not read`)
})

test('gives a large answer whole to one who takes it', async (t) => {
  const body = page('x'.repeat(large), 'text/plain; charset=utf-8', 'no-cache')
  const { host } = await startServer(t, { console: new Map([...files, ['large.txt', body]]), times: quick })
  assert.equal((await (await fetch(`http://${host}/ui/large.txt`)).text()).length, large)
})

test('catches a listener with the times that node:http has by itself', async (t) => {
  const { port } = await startPlain(t, (_, outgoing) => outgoing.end('ok'))
  const slow = attack({ port, host: 'x', auth: '', every: 100 })
  t.after(() => slow.forEach((one) => one.destroy()))
  await assert.rejects(waitFor(() => slow.every((one) => one.closed()), { what: 'all to be closed', deadline: 2_000 }))
})
