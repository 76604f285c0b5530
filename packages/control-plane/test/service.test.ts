// The control plane as its process makes it: a listener, the console from disk, the supervisor's two calls.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createMetrics, silentLogger } from '@gatehouse/kernel'
import { createControlPlane, createEvents } from '../src/service.ts'
import { createTestUnit, peersOf, token } from './fixtures/unit.ts'

const context = { requestId: 'r', traceparent: undefined, signal: AbortSignal.abort() }

const start = async (t: TestContext, console: string) => {
  const { unit } = createTestUnit({ boot: { port: 0, console } })
  const plane = await createControlPlane({
    boot: unit.boot,
    peers: peersOf({}, []),
    log: silentLogger,
    metrics: createMetrics('control-plane'),
    events: createEvents(),
  })
  t.after(() => plane.stop())
  return { plane, address: `http://127.0.0.1:${plane.port}` }
}

test('listens, serves its API and its console, and answers to the port that it got', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'console-'))
  t.after(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'index.html'), '<!doctype html>')
  const { plane, address } = await start(t, directory)
  assert.equal(await (await fetch(`${address}/healthz`)).text(), 'ok')
  assert.equal((await fetch(`${address}/v1/status`, { headers: { authorization: `Bearer ${token}` } })).status, 200)
  assert.equal((await fetch(`${address}/v1/status`)).status, 401)
  assert.equal((await fetch(address)).url, `${address}/ui/`)
  assert.deepEqual(await plane.life.health({}, context), { status: 'ready', degraded: [], facts: { host: '127.0.0.1', port: plane.port } })
})

test('serves without a console and says so', async (t) => {
  const { plane, address } = await start(t, '/nowhere')
  assert.equal((await fetch(`${address}/ui/`)).status, 404)
  assert.deepEqual((await plane.life.health({}, context)).degraded, ['console'])
})

test('warns that it checks no Host on an address of the network, until a public one is named', async () => {
  for (const [publicUrls, warnings] of [
    [[], 1],
    [['https://gate.example.com'], 0],
  ] as const) {
    const said: string[] = []
    const log = { ...silentLogger, warn: (message: string) => said.push(message) }
    const { unit } = createTestUnit({ boot: { host: '0.0.0.0', port: 0, publicUrls: [...publicUrls] } })
    const plane = await createControlPlane({
      boot: unit.boot,
      peers: peersOf({}, []),
      log,
      metrics: createMetrics('control-plane'),
      events: createEvents(),
    })
    await plane.stop()
    assert.equal(said.filter((message) => message.includes('SERVICE_PUBLIC_URL')).length, warnings)
  }
})

test('gives its metrics to the supervisor', async (t) => {
  const { plane, address } = await start(t, '/nowhere')
  await fetch(`${address}/healthz`)
  assert.match(JSON.stringify(await plane.life.metrics({}, context)), /gatehouse_http_request_duration_seconds_count/)
})
