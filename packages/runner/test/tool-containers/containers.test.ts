// Tool servers in containers as the broker orders them: which image, what is lent to them, what is refused, and how they end.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, realpath, rm, stat, symlink } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type ContainerOrder, type ContainerStart, type RunnerBoot, type ServerName, ServiceError } from '@gatehouse/contracts'
import { silentLogger, waitFor } from '@gatehouse/kernel'
import type { CallContext } from '@gatehouse/rpc'
import { doorDirectory, ToolContainers } from '../../src/tool-containers/containers.ts'
import { FakeToolEngine } from '../fixtures/fake-tool-engine.ts'

const context: CallContext = { requestId: 'test', traceparent: undefined, signal: new AbortController().signal }
const [first, second] = ['1'.repeat(32), '2'.repeat(32)]
const ids = { one: `sha256:${'a'.repeat(64)}`, two: `sha256:${'b'.repeat(64)}` }

const order = (parts: Partial<ContainerOrder> = {}): ContainerOrder => ({
  broker: first,
  server: 'box' as ServerName,
  command: '/bin/server',
  args: [],
  image: 'box:1',
  env: {},
  volumes: [],
  data: false,
  ...parts,
})

interface Place {
  readonly home: string
  readonly engine: FakeToolEngine
  readonly containers: ToolContainers
  start(parts?: Partial<ContainerOrder>): Promise<ContainerStart>
  begin(parts?: Partial<ContainerOrder>): Promise<{ container: string; messages: Socket; errors: Socket }>
}

const open = async (
  t: TestContext,
  parts: Partial<NonNullable<RunnerBoot['toolContainers']>> = {},
  instead?: { readonly refused: string },
): Promise<Place> => {
  const home = await realpath(await mkdtemp('/tmp/gh-tools-'))
  for (const name of ['s', 'r', `r/${doorDirectory}`, 'lent']) await mkdir(join(home, name), { mode: 0o700 })
  const engine = new FakeToolEngine()
  engine.images.set('box:1', ids.one).set(ids.one, ids.one)
  const engaged = instead ?? { engine, profile: '/p.json' }
  const containers = new ToolContainers({
    boot: { unitId: '0123456789abcdef', stateDir: join(home, 's'), runDir: join(home, 'r') },
    place: { engine: null, runtime: null, image: null, mountAllow: [join(home, 'lent')], ownPaths: [join(home, 's')], ...parts },
    engagement: { engaged: async () => engaged, current: () => engaged },
    log: silentLogger,
  })
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await containers.close()
    await rm(home, { recursive: true, force: true })
  })
  const start: Place['start'] = async (asked) => containers.handlers.start(order(asked), context)
  const begin: Place['begin'] = async (asked) => {
    const started = await start(asked)
    assert.ok(started.started, JSON.stringify(started))
    const count = engine.orders.length
    const reach = async (): Promise<Socket> => {
      const socket = connect(started.socket)
      sockets.push(socket)
      socket.resume()
      await once(socket, 'connect')
      return socket
    }
    const pair = { container: started.container, messages: await reach(), errors: await reach() }
    await waitFor(() => engine.orders.length > count, { what: 'a container', deadline: 30_000 })
    return pair
  }
  return { home, engine, containers, start, begin }
}

const refused = (started: ContainerStart): { reason: string; detail: string } => {
  assert.ok(!started.started)
  return started
}

test('a container is named after its server as far as engines take the name', async (t) => {
  const { begin } = await open(t)
  for (const name of ['My.Server', 'x'.repeat(64)]) {
    const { container } = await begin({ server: name as ServerName })
    assert.match(container, /^gatehouse-tool-01234567-(my-server|x{40})-[0-9a-f]{8}$/)
  }
})

test('runs what the reference names, or the default of the unit, or says that there is neither', async (t) => {
  const { engine, begin, start } = await open(t)
  await begin()
  assert.equal(engine.orders[0]?.image, ids.one)
  const none = refused(await start({ image: '' }))
  assert.equal(none.reason, 'no-image')
  assert.match(none.detail, /--mcp-image/)
  const absent = refused(await start({ image: 'nowhere:1' }))
  assert.equal(absent.reason, 'image-missing')
  assert.match(absent.detail, /nowhere:1/)
})

test('the default is for entries without an image alone', async (t) => {
  const { engine, begin, start } = await open(t, { image: 'default:1' })
  engine.images.set('default:1', ids.two)
  await begin({ image: '' })
  await begin()
  assert.deepEqual(
    engine.orders.map(({ image }) => image),
    [ids.two, ids.one],
  )
  assert.equal(refused(await start({ image: 'nowhere:1' })).reason, 'image-missing')
})

test('a pinned image is run whatever its name means now, and where it moved to is told', async (t) => {
  const { engine, start, begin } = await open(t)
  engine.images.set('box:1', ids.two).set(ids.two, ids.two)
  const started = await start({ imageID: ids.one })
  assert.ok(started.started)
  assert.deepEqual(started.image, { id: ids.one, pinned: true, moved: ids.two })
  await begin({ imageID: ids.one })
  assert.equal(engine.orders.at(-1)?.image, ids.one)
  engine.images.delete('box:1')
  const gone = await start({ imageID: ids.one })
  assert.deepEqual(gone.started && gone.image, { id: ids.one, pinned: true, moved: null })
  engine.images.clear()
  assert.equal(refused(await start({ imageID: ids.one })).reason, 'image-missing')
})

test('lends what lies below the allowed paths, and nothing that leads elsewhere', async (t) => {
  const { home, engine, start, begin } = await open(t)
  await mkdir(join(home, 'lent/inner'))
  await mkdir(join(home, 'other'))
  await symlink(join(home, 'other'), join(home, 'lent/link'))
  await symlink(join(home, 'lent/inner'), join(home, 'other/back'))
  const volume = (source: string) => ({ volumes: [{ source: join(home, source), target: '/srv', mode: 'ro' as const }] })
  await begin(volume('lent/inner'))
  await begin(volume('other/back'))
  for (const { mounts } of engine.orders) assert.deepEqual(mounts, [{ source: join(home, 'lent/inner'), target: '/srv', mode: 'ro' }])
  for (const source of ['other', 'lent/link', 'lent/absent', 's', '']) assert.equal(refused(await start(volume(source))).reason, 'volume')
  const twice = { source: join(home, 'lent'), target: '/srv', mode: 'ro' as const }
  assert.equal(refused(await start({ volumes: [twice, twice] })).reason, 'volume')
})

test('an allowed path that holds the state of the unit lends nothing of it', async (t) => {
  const { home, start } = await open(t, { mountAllow: ['/'] })
  for (const source of ['s', ''])
    assert.equal(refused(await start({ volumes: [{ source: join(home, source), target: '/srv', mode: 'rw' }] })).reason, 'volume')
})

test('a server with data has a directory of its own, which nobody but the unit reaches', async (t) => {
  const { home, engine, begin } = await open(t)
  await begin({ data: true })
  const [mount] = engine.orders[0]?.mounts ?? []
  assert.deepEqual(mount, { source: join(home, 's/tool-data/box'), target: '/data', mode: 'rw' })
  assert.equal((await stat(join(home, 's/tool-data'))).mode & 0o777, 0o700)
})

test('a variable that would steer the engine is refused by its name', async (t) => {
  const { start } = await open(t)
  const answer = refused(await start({ env: { DOCKER_HOST: 'tcp://elsewhere' } }))
  assert.equal(answer.reason, 'variable')
  assert.match(answer.detail, /DOCKER_HOST/)
  assert.doesNotMatch(answer.detail, /elsewhere/)
})

test('a container whose client cannot be run has ended, and hurts no other', async (t) => {
  const { engine, containers, begin, start } = await open(t)
  const other = await begin()
  engine.broken = true
  const started = await start()
  assert.ok(started.started)
  const sockets = [connect(started.socket), connect(started.socket)]
  await Promise.all(sockets.map(async (socket) => once(socket.resume(), 'close')))
  assert.deepEqual(await containers.handlers.ended({ container: started.container }, context), { code: null })
  await waitFor(() => containers.size === 1, { what: 'the other alone', deadline: 30_000 })
  engine.exit(other.container, 0)
  assert.deepEqual(await containers.handlers.ended({ container: other.container }, context), { code: 0 })
})

test('ends a container when it is told to, and tells its exit code to whoever asks later', async (t) => {
  const { engine, containers, begin } = await open(t)
  const { container } = await begin()
  engine.exit(container, 127)
  const one = { container }
  assert.deepEqual(await containers.handlers.ended(one, context), { code: 127 })
  const { container: next } = await begin()
  await containers.handlers.stop({ container: next }, context)
  assert.deepEqual(engine.ended, [next])
  assert.equal(containers.size, 0)
  await containers.handlers.stop({ container: next }, context)
})

test('what an earlier broker had running ends when the next one begins', async (t) => {
  const { engine, containers, begin } = await open(t)
  const { container, messages } = await begin()
  const closed = once(messages, 'close')
  await containers.handlers.begin({ broker: second }, context)
  await closed
  assert.deepEqual(engine.ended, [container])
  const { container: own } = await begin({ broker: second })
  await containers.handlers.begin({ broker: second }, context)
  assert.deepEqual(engine.ended, [container])
  await containers.close()
  assert.deepEqual(engine.ended, [container, own])
})

test('a container that nobody connects to is not started, and its door is gone once it was stopped', async (t) => {
  const { engine, containers, start } = await open(t)
  const started = await start()
  assert.ok(started.started)
  await containers.handlers.stop({ container: started.container }, context)
  assert.deepEqual(engine.orders, [])
  const socket = connect(started.socket)
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  assert.match(String(error.code), /ENOENT|ECONNREFUSED/)
})

test('an engine that does not answer is named, and nothing of an image is said by it', async (t) => {
  const { engine, containers, start } = await open(t)
  engine.findImage = async () => {
    throw new ServiceError('no-sandbox', { detail: 'docker does not answer' })
  }
  assert.deepEqual(refused(await start()), { started: false, reason: 'no-engine', detail: 'docker does not answer' })
  assert.deepEqual(await containers.sight(['box:1']), [{ image: 'box:1' }])
})

test('a unit that lacks an engine is not faulty before somebody wants one', async (t) => {
  const { containers, start } = await open(t, {}, { refused: 'docker not found' })
  assert.equal(containers.fault, undefined)
  assert.equal(refused(await start()).reason, 'no-engine')
  assert.equal(containers.fault, 'docker not found')
})

test('tells what references name, for a witness', async (t) => {
  const { containers } = await open(t)
  assert.deepEqual(await containers.sight(['box:1', 'nowhere:1']), [{ image: 'box:1', id: ids.one }, { image: 'nowhere:1' }])
})
