// After a storm of documents that are built to keep a parser busy, each service gives the memory back that it needed for them.
// Profile: rest. Many documents of the largest size on a whole unit.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { type JsonBounds, jsonBounds, type Service, SessionID, type SurfaceName, surfaceSocket } from '@gatehouse/contracts'
import * as v from 'valibot'
import { applyChange } from '../src/changes.ts'
import { jsonShapes } from '../src/json-shapes.ts'
import { listens } from '../src/listens.ts'
import { runDirectoryOf } from '../src/run-directory.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

/** MiB beyond what a service had: less than what one document of the largest size needs while it is read and parsed. */
const slack = 40

/** MiB that are the process's own: shared files are not counted. */
const ownMemory = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  return (
    ['Private_Dirty', 'Private_Clean'].reduce((sum, name) => sum + Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]), 0) / 1024
  )
}

interface Target {
  readonly socketPath?: string
  readonly port?: number
  readonly path: string
}

/** Resolves at the end of the answer, whatever it is, or of the connection. */
const post = (target: Target, body: string): Promise<void> =>
  new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    request({ ...target, host: '127.0.0.1', method: 'POST', headers }, (response) => response.resume().once('close', resolve))
      .on('error', () => resolve())
      .end(body)
  })

const socketOf = async (unit: Unit, agentGroupID: string, surface: SurfaceName): Promise<string> => {
  const runDirectory = await runDirectoryOf(unit)
  return waitFor(`${surface}.sock of ${agentGroupID}`, 120_000, async () => {
    const own = (await unit.client.sessions.list()).items.find((session) => session.agentGroupID === agentGroupID)
    if (own === undefined) return undefined
    const path = surfaceSocket(runDirectory, surface, v.parse(SessionID, own.id))
    return (await listens(path)) ? path : undefined
  })
}

const openUnit = async (t: TestContext, port: number): Promise<Unit> => {
  const unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'error'],
    env: { SERVICE_MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, SERVICE_MODEL_API_KEY: 'sk-of-a-test-0123456789abcdef0123456789abcdef' },
  })
  t.after(unit.dispose)
  await applyChange(unit, { kind: 'mcp_access', after: { server: 'sample', tools: ['echo'] } })
  const after = { id: 'modelled', name: 'Modelled', agent: 'model', model: { provider: 'compatible', id: 'm' } } as const
  await applyChange(unit, { kind: 'agent_create', group: 'modelled', after })
  for (const agentGroupID of ['dev-agent', 'modelled'])
    await waitFor(`${agentGroupID} to take a message`, 120_000, () =>
      unit.client.chat.send({ agentGroupID, text: 'hello' }, { idempotencyKey: agentGroupID }),
    )
  return unit
}

test('what services needed for hostile documents is not kept', { timeout: 900_000 }, async (t) => {
  const provider = createServer((asked, response) => {
    asked.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}'))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  t.after(() => provider.close())
  const unit = await openUnit(t, (provider.address() as AddressInfo).port)

  interface Border {
    readonly process: Service
    readonly target: Target
    readonly bounds: JsonBounds
    readonly document: (value: string) => string
  }
  const borders: readonly Border[] = [
    {
      process: 'broker',
      target: { socketPath: await socketOf(unit, 'dev-agent', 'tools'), path: '/call' },
      bounds: jsonBounds.toolCall,
      document: (value) => `{"name":"sample__echo","arguments":{"text":"hi","more":${value}}}`,
    },
    {
      process: 'model-proxy',
      target: { socketPath: await socketOf(unit, 'modelled', 'model'), path: '/compatible/v1/chat/completions' },
      bounds: jsonBounds.modelRequest,
      document: (value) => `{"model":"m","messages":[{"role":"user","content":${value}}]}`,
    },
    {
      process: 'runner',
      target: { socketPath: await socketOf(unit, 'dev-agent', 'session'), path: '/outbox' },
      bounds: jsonBounds.sessionRequest,
      document: (value) => `{"id":"x","text":${value}}`,
    },
    {
      process: 'control-plane',
      target: { port: unit.port, path: '/v1/changes' },
      bounds: jsonBounds.apiBody,
      document: (value) => `{"kind":"persona","agentGroupID":"dev-agent","after":{"instructions":${value}}}`,
    },
  ]
  const storm = async (share: number): Promise<void> => {
    for (const { target, bounds, document } of borders)
      for (const shape of Object.values(jsonShapes))
        await post(target, document(shape({ bytes: bounds.bytes * share - 1024, values: bounds.values - 100 })))
  }
  const pids = await Promise.all(borders.map(async ({ process }) => [process, await unit.pidOf(process)] as const))
  const memory = (): Promise<readonly (readonly [Service, number])[]> =>
    Promise.all(pids.map(async ([name, pid]) => [name, Math.round(await ownMemory(pid))] as const))

  // What is compiled and kept for good at the first documents is no matter here.
  await storm(1 / 64)
  const before = new Map(await memory())
  await storm(1)
  let kept: readonly string[] = []
  await waitFor('the memory of all services to return', 300_000, async () => {
    const now = await memory()
    kept = now.flatMap(([name, size]) => (size > (before.get(name) ?? 0) + slack ? [`${name}: ${before.get(name)}, then ${size} MiB`] : []))
    return kept.length === 0
  }).catch(() => undefined)
  assert.deepEqual(kept, [])
  t.diagnostic((await memory()).map(([name, size]) => `${name}: ${before.get(name)}, then ${size} MiB`).join('; '))
})
