// The process itself: born from its boot document, joined to its peers by real edges, gone without a trace.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { createClient } from '@gatehouse/client'
import {
  Digest,
  edgeSocket,
  gatewayControlPlane,
  isServiceError,
  lifeEdge,
  runnerControlPlane,
  ServiceError,
  supervisorControlPlane,
} from '@gatehouse/contracts'
import { sha256, waitFor } from '@gatehouse/kernel'
import { freePort } from '@gatehouse/testkit/free-port'
import { connectEdge, serveEdge } from '@gatehouse/rpc'
import { execa } from 'execa'
import * as v from 'valibot'
import { createJournal } from './fixtures/journal.ts'
import { createTestUnit, peersOf, token } from './fixtures/unit.ts'

const program = join(import.meta.dirname, '../src/main.ts')
const edges = [gatewayControlPlane, runnerControlPlane, supervisorControlPlane, lifeEdge('control-plane')]
const secretOf = (name: string): string => `secret of ${name}`.padEnd(32, '.')

const launch = async (t: TestContext, port: number) => {
  const runDir = await mkdtemp(join(tmpdir(), 'gh-'))
  t.after(() => rm(runDir, { recursive: true, force: true }))
  const { unit } = createTestUnit({ boot: { port, runDir, mcp: null, models: false, channels: false } })
  const boot = { ...unit.boot, edges: Object.fromEntries(edges.map(({ name }) => [name, secretOf(name)])) }
  const child = execa(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], reject: false, buffer: { fd3: false } })
  t.after(() => child.kill('SIGKILL'))
  const pipe = child.stdio[3] as unknown as Duplex
  const sent: Record<string, unknown>[] = []
  createInterface({ input: pipe }).on('line', (line) => sent.push(JSON.parse(line) as Record<string, unknown>))
  pipe.on('error', () => undefined)
  pipe.write(`${JSON.stringify(boot)}\n`)
  return {
    child,
    sent,
    runDir,
    ready: () => waitFor(() => sent.some(({ type }) => type === 'ready'), { what: 'ready', deadline: 120_000 }),
  }
}

/** Without it nobody knows how the gateway is, and the unit is not ready. */
const serveSupervisor = async (t: TestContext, runDir: string): Promise<void> => {
  const at = { path: edgeSocket(runDir, supervisorControlPlane), secret: secretOf(supervisorControlPlane.name) }
  const server = await serveEdge(supervisorControlPlane, { ...at, handlers: peersOf({ boot: { mcp: null } }, []).supervisor })
  t.after(() => server.close())
}

test('serves with the peers that are there, answers the supervisor, and ends at SIGTERM', async (t) => {
  const port = await freePort()
  const { child, runDir, ready } = await launch(t, port)
  await ready()
  const address = `http://127.0.0.1:${port}`
  const authorization = `Bearer ${token}`
  assert.equal((await fetch(`${address}/readyz`)).status, 503)

  const peers = peersOf({ boot: { mcp: null } }, [])
  const options = { path: edgeSocket(runDir, gatewayControlPlane), secret: secretOf(gatewayControlPlane.name) }
  const gateway = await serveEdge(gatewayControlPlane, { ...options, handlers: peers.gateway })
  t.after(() => gateway.close())
  await serveSupervisor(t, runDir)
  await waitFor(async () => (await fetch(`${address}/readyz`)).status === 200, { what: 'the unit to be ready' })
  const answer = await fetch(`${address}/v1/agent-groups`, { headers: { authorization } })
  assert.equal(answer.status, 200)
  assert.equal((await fetch(`${address}/v1/agent-groups`, { headers: { authorization: 'Bearer wrong' } })).status, 401)
  assert.equal((await fetch(`${address}/v1/sessions`, { headers: { authorization } })).status, 503)

  const edge = lifeEdge('control-plane')
  const life = connectEdge(edge, { path: edgeSocket(runDir, edge), secret: secretOf(edge.name) })
  t.after(() => life.close())
  const health = await waitFor(() => life.calls.health({}).catch(() => undefined), { what: 'health' })
  assert.deepEqual(health.facts, { host: '127.0.0.1', port })

  child.kill('SIGTERM')
  assert.equal((await child).exitCode, 0)
  await assert.rejects(once(connect(port, '127.0.0.1'), 'connect'))
})

test('tells its readers every line while the gateway ends and starts anew, and ends them with the token', async (t) => {
  const port = await freePort()
  const { runDir, ready } = await launch(t, port)
  await ready()
  const journal = createJournal()
  let revoked = false
  const permit = () => {
    if (revoked) throw new ServiceError('unauthorized')
    return { name: 'ann', role: 'auditor' }
  }
  const peers = peersOf({ boot: { mcp: null }, answers: { ...journal.answers, 'gateway.permit': permit } }, [])
  const serve = () => {
    const at = { path: edgeSocket(runDir, gatewayControlPlane), secret: secretOf(gatewayControlPlane.name) }
    return serveEdge(gatewayControlPlane, { ...at, handlers: peers.gateway })
  }
  const write = (count: number, gateway?: Awaited<ReturnType<typeof serve>>): void => {
    const from = journal.lines.length
    journal.write(count)
    gateway?.publish('news', { items: journal.lines.slice(from) })
  }
  const first = await serve()
  await serveSupervisor(t, runDir)
  await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200, { what: 'the unit to be ready' })
  const told: number[] = []
  let opened = false
  const onOpen = (): void => {
    opened = true
  }
  const read = async (): Promise<void> => {
    const client = createClient({ address: `http://127.0.0.1:${port}`, token })
    for await (const event of client.events({ onOpen, retry: 10 })) if (event.type === 'news') told.push(event.news.seq)
  }
  const reading = assert.rejects(read(), (error) => isServiceError(error) && error.code === 'unauthorized')
  await waitFor(() => opened, { what: 'a stream' })
  write(2, first)
  await waitFor(() => told.length === 2, { what: 'two lines' })
  await first.close()
  write(3)
  const second = await serve()
  await waitFor(() => told.length === 5, { what: 'what was written meanwhile' })
  write(1, second)
  await waitFor(() => told.length === 6, { what: 'a line that comes' })
  assert.deepEqual(told, [1, 2, 3, 4, 5, 6])
  t.after(() => second.close())
  revoked = true
  second.publish('token-revoked', { token: v.parse(Digest, sha256(token)) })
  await reading
})

test('refuses to start on an address in use with exit code 69, and says how to choose another', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const address = other.address()
  assert.ok(typeof address === 'object' && address !== null)
  const { child, sent } = await launch(t, address.port)
  assert.equal((await child).exitCode, 69)
  assert.equal(sent[0]?.type, 'refuse')
  assert.match(String(sent[0]?.detail), new RegExp(`127\\.0\\.0\\.1:${address.port}`))
})
