// A container engine as the runner uses it: images by name and id, containers ended by name, orphans found by label.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { execa } from 'execa'
import { toolArguments, type ToolHost } from '../../src/tools/arguments.ts'
import { type ToolEngine, toToolEngine } from '../../src/tools/engine.ts'
import { steeringVariable } from '../../src/tools/run.ts'
import { buildToolSite, findHost, rows, token, type ToolSite } from '../fixtures/tool-site.ts'

const stream = async (directory: string): Promise<[Socket, Socket]> => {
  const path = join(directory, `${randomBytes(4).toString('hex')}.sock`)
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }).listen(path)
  await once(server, 'listening')
  const near = connect({ path, allowHalfOpen: true })
  const [far] = (await once(server, 'connection')) as [Socket]
  server.close()
  near.resume()
  return [near, far]
}

const engineRows = rows.filter(({ label }) => label !== 'docker-runsc')

for (const row of engineRows) {
  const host = await findHost(row)
  describe(`the engine ${row.label}`, { skip: typeof host === 'string' ? host : false, timeout: 200_000 }, () => {
    if (typeof host === 'string') return
    let site: ToolSite
    let engine: ToolEngine
    let directory: string
    const begun: Socket[] = []
    before(async () => {
      site = await buildToolSite(host)
      engine = toToolEngine(host)
      directory = await mkdtemp(join(tmpdir(), 'tools-'))
    })
    after(async () => {
      for (const socket of begun) socket.destroy()
      await engine.removeStrays(site.order.unitId)
      await rm(directory, { recursive: true, force: true })
    })

    const names = async (unitId: string): Promise<string[]> => {
      const { stdout } = await execa(host.engine.file, ['ps', '--filter', `label=gatehouse.tools=${unitId}`, '--format', '{{.Names}}'])
      return stdout.split('\n').filter((name) => name !== '')
    }
    const start = async (name: string, unitId = site.order.unitId) => {
      const [messages, farMessages] = await stream(directory)
      const [errors, farErrors] = await stream(directory)
      begun.push(messages, errors)
      const order = { ...site.order, name, unitId, args: ['/agent/idle.mjs'] }
      const run = engine.run(order, { messages: farMessages, errors: farErrors })
      const deadline = performance.now() + 60_000
      while (!(await names(unitId)).includes(name)) assert.ok(performance.now() < deadline, `${name} did not start`)
      return run
    }

    test('finds an image by name and by id, and nothing that looks like a flag', async () => {
      assert.equal(await engine.findImage(`gatehouse-tool-test:${token}`), site.order.image)
      assert.equal(await engine.findImage(site.order.image), site.order.image)
      assert.equal(await engine.findImage('gatehouse-nowhere:1'), null)
      assert.equal(await engine.findImage('--help'), null)
    })

    test('ends a container by its name and removes it', async () => {
      const name = `gatehouse-tool-test-${token}-end`
      const run = await start(name)
      await engine.end(name, run)
      assert.notEqual(await run.exited, 0)
      assert.deepEqual(await names(site.order.unitId), [])
      await engine.end(name, run)
    })

    test('removes the orphans of its unit and of no other', async () => {
      const other = `other-${token}`
      const [mine, foreign] = await Promise.all([
        start(`gatehouse-tool-test-${token}-mine`),
        start(`gatehouse-tool-test-${token}-foreign`, other),
      ])
      assert.equal(await engine.removeStrays(site.order.unitId), 1)
      await mine.exited
      assert.deepEqual(await names(other), [`gatehouse-tool-test-${token}-foreign`])
      assert.equal(await engine.removeStrays(other), 1)
      await foreign.exited
    })
  })
}

const host: ToolHost = {
  engine: {
    name: 'docker',
    label: 'docker',
    filters: true,
    file: '/usr/bin/docker',
    global: [],
    runtime: 'runsc',
    gvisor: true,
    limits: true,
    takesParent: true,
    user: null,
  },
  init: ['--init'],
}
const order = {
  name: 'n',
  unitId: 'i',
  image: 'sha256:0',
  command: '/bin/server',
  args: ['--flag', '-x'],
  env: { TOKEN: 'a secret' },
  mounts: [],
  profile: '/p.json',
}

test('the command line has the runtime, the image by its id, and of a variable the name alone', () => {
  const args = toolArguments(host, order)
  assert.equal(args[args.indexOf('--runtime') + 1], 'runsc')
  assert.deepEqual(args.slice(-5), ['--entrypoint', '/bin/server', 'sha256:0', '--flag', '-x'])
  assert.ok(args.includes('TOKEN'))
  assert.doesNotMatch(args.join(' '), /a secret/)
  for (const [flag, value] of [
    ['--pull', 'never'],
    ['--log-driver', 'none'],
    ['--ipc', 'private'],
  ] as const)
    assert.equal(args[args.indexOf(flag) + 1], value)
})

test('variables that would affect the engine client are refused', () => {
  for (const name of [
    'PATH',
    'HOME',
    'LD_PRELOAD',
    'DOCKER_HOST',
    'docker_host',
    'CONTAINER_HOST',
    'CONTAINERS_CONF',
    'HTTPS_PROXY',
    'GODEBUG',
    'XDG_RUNTIME_DIR',
    'TMPDIR',
  ])
    assert.equal(steeringVariable(['TOKEN', name]), name)
  assert.equal(steeringVariable(['TOKEN', 'GOOGLE_KEY', 'NODE_OPTIONS', 'API_URL', 'PATHS']), undefined)
})
