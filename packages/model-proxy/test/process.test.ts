// The model proxy as the supervisor starts it: a process of its own, over real edges, killed at any moment, with one record of
// each request that was sent.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, test } from 'node:test'
import {
  edgeSocket,
  gatewayModelProxy,
  lifeEdge,
  type ModelCallRecord,
  type ModelProxyBoot,
  modelProxyControlPlane,
  stateFiles,
  surfaceSocket,
} from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { connectEdge, type EdgeServer, serveEdge } from '@gatehouse/rpc'
import { ask, chatBody, FakeGateway, keyOf, patience, sessionOne } from './fixtures/bench.ts'
import { delta, FakeProvider, usual } from './fixtures/provider.ts'

const main = join(import.meta.dirname, '../src/main.ts')
const secret = 'a-secret-of-an-edge'
const path = '/compatible/v1/chat/completions'

let directory: string
let gateway: FakeGateway
let gatewayServer: EdgeServer<typeof gatewayModelProxy>
let provider: FakeProvider
const children: ChildProcess[] = []

const serveGateway = () => serveEdge(gatewayModelProxy, { path: edgeSocket(directory, gatewayModelProxy), secret, handlers: gateway.calls })

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gh-m-'))
  await mkdir(join(directory, 'edges'), { mode: 0o700 })
  await mkdir(join(directory, 'state'), { mode: 0o700 })
  gateway = new FakeGateway()
  gateway.provider = 'compatible'
  gatewayServer = await serveGateway()
  provider = new FakeProvider()
  await provider.start()
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  await provider.stop()
  await gatewayServer.close()
  await rm(directory, { recursive: true, force: true })
})

const boot = (): ModelProxyBoot => ({
  mode: 'production',
  version: '0.0.0',
  installation: 'test',
  stateDir: join(directory, 'state'),
  runDir: directory,
  logLevel: 'info',
  edges: Object.fromEntries([gatewayModelProxy, modelProxyControlPlane, lifeEdge('model-proxy')].map(({ name }) => [name, secret])),
  providers: [{ name: 'compatible', key: keyOf('compatible'), baseUrl: `${provider.origin}/v1` }],
  callsRetention: 24 * 60 * 60_000,
  ownAddress: '127.0.0.1:8787',
  outbound: { proxy: null, noProxy: [], authorities: null },
})

const start = async (): Promise<{ child: ChildProcess; pipe: Duplex }> => {
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env: {} })
  children.push(child)
  const pipe = child.stdio[3] as unknown as Duplex
  const words: { type: string }[] = []
  createInterface({ input: pipe }).on('line', (line) => void words.push(JSON.parse(line) as { type: string }))
  pipe.write(`${JSON.stringify(boot())}\n`)
  gateway.ready.length = 0
  await waitFor(() => words.some(({ type }) => type === 'ready'), { what: 'a first word', deadline: patience })
  await waitFor(() => gateway.ready.includes(sessionOne), { what: 'the socket of the session', deadline: patience })
  return { child, pipe }
}

const socket = () => surfaceSocket(directory, 'model', sessionOne)
const post = (more: object = {}, onData?: () => void) => ask(socket(), path, { body: chatBody(more), ...(onData && { onData }) })
const records = async (): Promise<ModelCallRecord[]> =>
  (await readFile(join(directory, 'state', stateFiles.modelCalls), 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ModelCallRecord)
const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL')
  await once(child, 'exit')
}
const controlPlane = () => connectEdge(modelProxyControlPlane, { path: edgeSocket(directory, modelProxyControlPlane), secret })

test('serves a session, and control plane and supervisor over their edges', async () => {
  await start()
  assert.equal((await post()).status, 200)
  assert.equal(provider.seen[0]?.headers['authorization'], `Bearer ${keyOf('compatible')}`)
  const people = controlPlane()
  const life = connectEdge(lifeEdge('model-proxy'), { path: edgeSocket(directory, lifeEdge('model-proxy')), secret })
  const { items, spending } = await people.calls.providers({})
  assert.deepEqual(
    items.map(({ name, host }) => [name, host]),
    [['compatible', new URL(provider.origin).host]],
  )
  assert.deepEqual(spending, [{ agentGroupID: 'team', tokens: 18, reserved: 0 }])
  assert.deepEqual(await life.calls.health({}), { status: 'ready', degraded: [], facts: { providers: ['compatible'], sessions: 2 } })
  assert.ok((await life.calls.metrics({})).some(({ name }) => name === 'gatehouse_model_proxy_tokens_total'))
  provider.reply = (_seen, response) => void response.writeHead(401).end()
  const refused = await people.calls.check({ provider: 'compatible' })
  assert.deepEqual([refused.reachable, refused.keyAccepted], [true, false])
  provider.reply = usual
  const accepted = await people.calls.check({ provider: 'compatible' })
  assert.deepEqual([accepted.reachable, accepted.keyAccepted, provider.seen.at(-1)?.url], [true, true, '/v1/models'])
  people.close()
  life.close()
})

test('gives records back in pages, newest first, by filter', async () => {
  await start()
  for (let at = 0; at < 5; at++) await post(at === 2 ? { n: 2 } : {})
  const people = controlPlane()
  const first = await people.calls.records({ limit: 2 })
  const rest = await people.calls.records({ limit: 10, ...(first.nextCursor !== undefined && { cursor: first.nextCursor }) })
  const all = [...first.items, ...rest.items]
  assert.deepEqual(
    all.map(({ id }) => id),
    (await records()).map(({ id }) => id).toReversed(),
  )
  assert.deepEqual(
    (await people.calls.records({ outcome: 'refused' })).items.map(({ code }) => code),
    ['field-refused'],
  )
  for (const none of [{ agentGroupIDs: [] }, { provider: 'openai' as const }, { since: '2100-01-01T00:00:00Z' as never }])
    assert.deepEqual((await people.calls.records(none)).items, [])
  await assert.rejects(people.calls.records({ cursor: 'nowhere' }))
  people.close()
})

const moments: [string, (kill: () => void) => void, object?][] = [
  ['when the provider has the request', (end) => (provider.reply = () => end())],
  [
    'in the middle of a stream',
    (end) =>
      (provider.reply = (_seen, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(delta('begun'), () => end())
      }),
    { stream: true },
  ],
]
for (const [moment, set, more = {}] of moments) {
  test(`a process that is killed ${moment} leaves one record, and it was not free`, async () => {
    gateway.tokensPerDay = 10_000
    const { child } = await start()
    const asked = Promise.withResolvers<void>()
    set(() => asked.resolve())
    const answer = post({ max_tokens: 500, ...more }).catch(() => undefined)
    await asked.promise
    await kill(child)
    await answer
    assert.deepEqual(await records(), [])
    provider.reply = usual
    await start()
    const [record, ...others] = await records()
    assert.deepEqual([record?.outcome, record?.tokensOut, record?.estimated, others.length], ['unknown', 500, true, 0])
    const people = controlPlane()
    const { spending } = await people.calls.providers({})
    assert.equal(spending[0]?.tokens, (record?.tokensIn ?? 0) + 500)
    people.close()
    assert.equal((await post()).status, 200)
    assert.equal((await records()).length, 2)
  })
}

test('without the word that it leaves on disk the record would be missing', async () => {
  const { child } = await start()
  const asked = Promise.withResolvers<void>()
  provider.reply = () => asked.resolve()
  const answer = post().catch(() => undefined)
  await asked.promise
  await kill(child)
  await answer
  await rm(join(directory, 'state', 'model-calls.inflight'))
  await start()
  assert.deepEqual(await records(), [])
})

test('what was spent today counts after a kill', async () => {
  const { child } = await start()
  await post()
  await kill(child)
  await start()
  const people = controlPlane()
  assert.deepEqual((await people.calls.providers({})).spending, [{ agentGroupID: 'team', tokens: 18, reserved: 0 }])
  people.close()
})

test('goes on when the gateway went away and came back', async () => {
  await start()
  await gatewayServer.close()
  assert.equal((await post()).status, 503)
  gateway.ready.length = 0
  gatewayServer = await serveGateway()
  await waitFor(() => gateway.ready.includes(sessionOne), { what: 'the socket of the session', deadline: patience })
  assert.equal((await post()).status, 200)
})

test('ends with 0 on SIGTERM with no socket left, and when the supervisor is gone', async () => {
  const { child } = await start()
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  await assert.rejects(access(socket()))
  const { child: next, pipe } = await start()
  pipe.destroy()
  await once(next, 'exit')
})

test('the key is in no argument, variable, record or file of the process', async () => {
  const { child } = await start()
  await post()
  const places = [
    `/proc/${child.pid}/cmdline`,
    `/proc/${child.pid}/environ`,
    join(directory, 'state', stateFiles.modelCalls),
    join(directory, 'state', 'model-calls.inflight'),
  ]
  for (const place of places) assert.ok(!(await readFile(place, 'utf8')).includes(keyOf('compatible').slice(8)), place)
})
