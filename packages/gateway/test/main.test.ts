// The gateway as a process: born from its boot document, listening at its doors, drained, refused.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile, stat, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Edge, edgeSocket, gatewayBroker, gatewayControlPlane, gatewayModelProxy, gatewayRunner, lifeEdge } from '@gatehouse/contracts'
import { connectEdge, type EdgeClient, type EventListeners } from '@gatehouse/rpc'
import { fails, group, token } from './fixtures/people.ts'
import { bootOf, newDirectory, removeDirectory } from './fixtures/unit.ts'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const edges = Object.fromEntries(
  [gatewayControlPlane, gatewayBroker, gatewayModelProxy, gatewayRunner, lifeEdge('gateway')].map(({ name }) => [
    name,
    `secret of ${name}`,
  ]),
)

interface Born {
  readonly child: ChildProcess
  readonly pipe: Socket
  /** The first line that it says over the pipe. */
  readonly first: Promise<Record<string, unknown>>
  readonly exited: Promise<number | null>
}

const children: Born[] = []
const clients: (() => void)[] = []

const bear = (dir: string): Born => {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'inherit', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] },
  })
  const pipe = child.stdio[3] as Socket
  const first = once(createInterface({ input: pipe }), 'line').then(([line]) => JSON.parse(String(line)) as Record<string, unknown>)
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  pipe.on('error', () => undefined)
  pipe.write(`${JSON.stringify(bootOf(dir, { edges, mode: 'dev', seed: 'dev-agent' }))}\n`)
  const born = { child, pipe, first, exited }
  children.push(born)
  return born
}

let dir: string
before(async () => {
  dir = await newDirectory()
})
after(async () => {
  for (const close of clients) close()
  for (const { child, exited } of children) {
    child.kill('SIGKILL')
    await exited
  }
  await removeDirectory(dir)
})

/** Closed at the end, whatever happens. */
const connect = <E extends Edge>(edge: E, on: EventListeners<E> = {}): EdgeClient<E> => {
  const client = connectEdge(edge, { path: edgeSocket(join(dir, 'run'), edge), secret: edges[edge.name] ?? '', on })
  clients.push(() => client.close())
  return client
}

test('serves its doors, publishes to them, drains when asked, and keeps its files private', async () => {
  const born = bear(dir)
  assert.deepEqual(await born.first, { type: 'ready' })
  const heard = Promise.withResolvers<string>()
  const runner = connect(gatewayRunner, { 'group-changed': ({ agentGroupID }) => heard.resolve(agentGroupID) })
  const life = connect(lifeEdge('gateway'))
  const people = connect(gatewayControlPlane)
  assert.equal((await life.calls.health({})).status, 'ready')
  await runner.calls.sessions({})

  const asked = await people.calls.submit({
    token,
    submission: { kind: 'persona', agentGroupID: group('dev-agent'), after: { instructions: 'x' } },
  })
  const change = await people.calls.decide({ token, id: asked.id, outcome: 'approve', decidedBy: 'alice', digest: asked.digest })
  assert.equal(change.state, 'applied')
  assert.equal(await heard.promise, 'dev-agent')
  await assert.rejects(people.calls.groups({ token: null }), { code: 'unauthorized' })
  for (const name of ['gateway.db', 'audit.jsonl', 'mcp-catalog.json']) assert.equal((await stat(join(dir, name))).mode & 0o077, 0, name)

  born.pipe.write('drain\n')
  assert.equal(await born.exited, 0)
  assert.match(await readFile(join(dir, 'audit.jsonl'), 'utf8'), /"stage":"stop"/)
})

test('killed and born again in the same unit it has lost nothing', async () => {
  const first = bear(dir)
  assert.deepEqual(await first.first, { type: 'ready' })
  const people = connect(gatewayControlPlane)
  const held = await people.calls.submit({
    token,
    submission: { kind: 'persona', agentGroupID: group('dev-agent'), after: { instructions: 'held' } },
  })
  first.child.kill('SIGKILL')
  await first.exited
  const second = bear(dir)
  assert.deepEqual(await second.first, { type: 'ready' })
  assert.equal((await people.calls.change({ token, id: held.id })).state, 'held')
  assert.equal((await people.calls.groups({ token })).items[0]?.persona, 'x')

  // A runner that ends with what it was asked, and the next one.
  const asked = Promise.withResolvers<void>()
  const ending = connect(gatewayRunner, { 'packages-wanted': () => asked.resolve() })
  await ending.calls.sessions({})
  const after = { npm: ['is-odd@3.0.1'] }
  const packages = fails(people.calls.submit({ token, submission: { kind: 'packages', agentGroupID: group('dev-agent'), after } }))
  await asked.promise
  ending.close()
  const refused = { rule: 'not-found', reason: 'there is no such package' }
  const next: EdgeClient<typeof gatewayRunner> = connect(gatewayRunner, {
    'packages-wanted': ({ names }) => void next.calls.resolved({ names, refused }),
  })
  assert.equal((await packages).extra?.['rule'], 'packages-not-found')
  second.child.kill('SIGTERM')
  assert.equal(await second.exited, 0)
})

test('ends when its supervisor is gone', async () => {
  const born = bear(dir)
  await born.first
  born.pipe.destroy()
  await born.exited
})

test('refuses a second gateway on the same state, and a catalog that others can read', async () => {
  const first = bear(dir)
  await first.first
  const second = bear(dir)
  assert.equal((await second.first)['exit'], 75)
  assert.equal(await second.exited, 75)
  first.child.kill('SIGTERM')
  await first.exited

  const other = await newDirectory()
  await writeFile(join(other, 'mcp-catalog.json'), '{}', { mode: 0o644 })
  const wide = bear(other)
  const said = await wide.first
  assert.deepEqual([said['type'], said['exit']], ['refuse', 78])
  assert.match(String(said['hint']), /chmod 600 /)
  assert.equal(await wide.exited, 78)
  await assert.rejects(access(join(other, 'run', 'edges', 'gateway.broker.sock')))
  await removeDirectory(other)
})
