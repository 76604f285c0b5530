// The broker as the supervisor starts it: a process of its own, over real edges, with real tool servers below it.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, test } from 'node:test'
import { brokerControlPlane, type BrokerBoot, edgeSocket, gatewayBroker, lifeEdge, surfaceSocket } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { connectEdge, type EdgeServer, serveEdge } from '@gatehouse/rpc'
import { ask } from './fixtures/ask.ts'
import { FakeGateway, local, sessionOne } from './fixtures/bench.ts'
import { processesOf } from './fixtures/processes.ts'

const main = join(import.meta.dirname, '../src/main.ts')
const secret = 'a-secret-of-an-edge'

let directory: string
let gateway: FakeGateway
let gatewayServer: EdgeServer<typeof gatewayBroker>
const children: ChildProcess[] = []

const serveGateway = () => serveEdge(gatewayBroker, { path: edgeSocket(directory, gatewayBroker), secret, handlers: gateway.calls })

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gh-b-'))
  await mkdir(join(directory, 'edges'), { mode: 0o700 })
  await mkdir(join(directory, 'state'), { mode: 0o700 })
  gateway = new FakeGateway()
  gateway.catalog = { sample: local() }
  gateway.grants = { [sessionOne]: { sample: [] } }
  gatewayServer = await serveGateway()
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  await gatewayServer.close()
  await rm(directory, { recursive: true, force: true })
})

const boot = (): BrokerBoot => ({
  mode: 'dev',
  version: '0.0.0',
  installation: 'test',
  stateDir: join(directory, 'state'),
  runDir: directory,
  logLevel: 'info',
  edges: Object.fromEntries([gatewayBroker, brokerControlPlane, lifeEdge('broker')].map(({ name }) => [name, secret])),
  keys: { logins: 'a'.repeat(64), formerLogins: [] },
  isolation: 'none',
  variables: {},
  isRated: true,
  callsRetention: 30 * 24 * 60 * 60_000,
  ownAddress: '127.0.0.1:8787',
  outbound: { proxy: null, noProxy: [], authorities: null },
})

interface Started {
  readonly child: ChildProcess
  readonly pipe: Duplex
  readonly words: { type: string; exit?: number }[]
}

const start = async (): Promise<Started> => {
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env: {} })
  children.push(child)
  const pipe = child.stdio[3] as unknown as Duplex
  const words: Started['words'] = []
  createInterface({ input: pipe }).on('line', (line) => void words.push(JSON.parse(line) as { type: string }))
  pipe.write(`${JSON.stringify(boot())}\n`)
  await waitFor(() => words.find(({ type }) => type === 'ready' || type === 'refuse'), { what: 'a first word', deadline: 120_000 })
  return { child, pipe, words }
}

const call = async (name: string): Promise<{ isError: boolean; content: { text: string }[] }> => {
  const body = JSON.stringify({ name, arguments: { text: 'hi' } })
  const answer = await ask(surfaceSocket(directory, 'tools', sessionOne), '/call', { method: 'POST', body })
  return JSON.parse(answer.text) as { isError: boolean; content: { text: string }[] }
}
const isServing = async (): Promise<void> => {
  await call('sample__env')
  assert.ok((await processesOf(directory)).length > 0)
}
const ready = () => waitFor(() => gateway.ready.includes(sessionOne), { what: 'the socket of the session' })
/** Those of the broker have an environment without it. */
const isGone = async (): Promise<boolean> => (await processesOf(directory)).length === 0

test('serves a session over its socket, and control plane and supervisor over their edges', async () => {
  await start()
  await ready()
  assert.equal((await call('sample__echo')).content[0]?.text, 'hi')
  const controlPlane = connectEdge(brokerControlPlane, { path: edgeSocket(directory, brokerControlPlane), secret })
  const life = connectEdge(lifeEdge('broker'), { path: edgeSocket(directory, lifeEdge('broker')), secret })
  assert.equal((await controlPlane.calls.states({}))['sample']?.status, 'up')
  assert.deepEqual(await life.calls.health({}), { status: 'ready', degraded: [], facts: { servers: 1, sessions: 2 } })
  assert.ok((await life.calls.metrics({})).some(({ name }) => name === 'gatehouse_broker_requests_total'))
  controlPlane.close()
  life.close()
  assert.match(await readFile(join(directory, 'state', 'calls.jsonl'), 'utf8'), /"op":"call","server":"sample","tool":"echo"/)
})

test('goes on when the gateway went away and came back, and learns what it missed', async () => {
  await start()
  await ready()
  await gatewayServer.close()
  assert.equal((await call('sample__echo')).isError, true)
  gateway.ready.length = 0
  gatewayServer = await serveGateway()
  await ready()
  assert.equal((await call('sample__echo')).isError, false)
})

test('takes its tool servers along when it is killed, also those that would stay, and serves again after a new start', async () => {
  gateway.catalog = { sample: local({ STAY: '1' }) }
  const { child } = await start()
  await ready()
  await isServing()
  child.kill('SIGKILL')
  await waitFor(() => isGone(), { what: 'the end of the tool server' })
  gateway.ready.length = 0
  await start()
  await ready()
  assert.equal((await call('sample__echo')).isError, false)
})

test('ends with 0 on SIGTERM, with nothing left behind, not even a server that would stay', async () => {
  gateway.catalog = { sample: local({ STAY: '1' }) }
  const { child } = await start()
  await ready()
  await isServing()
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  await waitFor(isGone, { what: 'the end of the tool server' })
  await assert.rejects(ask(surfaceSocket(directory, 'tools', sessionOne), '/tools'), { code: 'ENOENT' })
})

test('ends when the supervisor is gone', async () => {
  const { child, pipe } = await start()
  await ready()
  await isServing()
  pipe.destroy()
  await once(child, 'exit')
  await waitFor(() => isGone(), { what: 'the end of the tool server' })
})

test('refuses to start beside another broker on the same state', async () => {
  await start()
  const { words } = await start()
  assert.deepEqual([words[0]?.type, words[0]?.exit], ['refuse', 75])
})
