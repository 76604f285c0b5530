// Raw protocol abuse: every broken request ends with a refusal, and none of them hides a second one.
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startPlain, startServer } from '../fixtures/server.ts'
import { sweep } from '../fixtures/sweep.ts'
import { abusesOf, type Target } from './abuse.ts'

/** Everything that comes back, and the end that comes by itself. */
const answersTo = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.end(Buffer.from(bytes, 'latin1')))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })

const statusesOf = (answers: string): number[] => [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

/** Names what was answered with success. `reached` counts what came as far as the canary. */
const findTaken = async (port: number, target: Target): Promise<string[]> =>
  sweep(abusesOf(target), async ({ name, bytes }) => {
    const statuses = statusesOf(await answersTo(port, bytes))
    return statuses.every((status) => status >= 400 && status < 500) ? [] : [`${name}: ${statuses.join(' ')}`]
  })

test('refuses every request that is not one, and never takes a part of one for another', async (t) => {
  const reached: string[] = []
  const { port, host, auth, calls } = await startServer(t, {
    times: { headersTime: 500, requestTime: 1_000, checkEvery: 50 },
    app: (made) => {
      made.all('/canary', () => new Response('reached'))
      const fetch: typeof made.fetch = (request, ...rest) => {
        if (new URL(request.url).pathname === '/canary') reached.push(request.url)
        return made.fetch(request, ...rest)
      }
      return Object.assign(Object.create(made) as typeof made, { fetch })
    },
  })
  const target = { host, auth }
  assert.ok(abusesOf(target).length >= 150, String(abusesOf(target).length))
  assert.deepEqual(await findTaken(port, target), [])
  assert.deepEqual(reached, [])
  assert.deepEqual(
    calls.filter(({ name }) => name !== 'gateway.permit'),
    [],
  )
  assert.equal((await fetch(`http://${host}/healthz`)).status, 200)
})

test('catches a listener that reads generously', async (t) => {
  const reached: string[] = []
  const listener: RequestListener = (incoming, outgoing) => {
    if (incoming.url === '/canary') reached.push('reached')
    incoming.resume().on('end', () => outgoing.end('ok'))
  }
  const server = await startPlain(t, listener, { insecureHTTPParser: true })
  server.headersTimeout = 500
  server.requestTimeout = 1_000
  const taken = await findTaken(server.port, { host: `127.0.0.1:${server.port}`, auth: '' })
  assert.ok(taken.length > 20, String(taken.length))
  assert.ok(reached.length > 5, String(reached.length))
})
