// Local tool servers in containers, in a whole unit: registered, granted, called, killed; and what they are given is nowhere else.
// Profile: rest. A matrix of container engines; grants.test.ts calls, kills and revokes the same servers.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { demoToken, mask } from '@gatehouse/contracts'
import type { SampleImage } from '@gatehouse/images'
import { say } from '../src/chat.ts'
import { stateFiles } from '../src/state-files.ts'
import { openTools, type ToolsSocket } from '../src/tools-socket.ts'
import { freshDirectory, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { createCanaries } from './fixtures/canaries.ts'
import { containersOf, dropImage, type EngineName, inspect, lacking, ownImage, putPinned } from './fixtures/container-world.ts'

const canary = `canary-${randomBytes(8).toString('hex')}`
const referenced = `canary-${randomBytes(8).toString('hex')}`
const canaries = createCanaries(12)

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const skip = await lacking('docker')

/** One of each engine for all tests here, made when it is first asked for. */
const images = new Map<EngineName, Promise<SampleImage>>()
const imageOf = (engine: EngineName): Promise<SampleImage> => {
  const image = images.get(engine) ?? ownImage(engine)
  images.set(engine, image)
  return image
}
after(async () => {
  for (const [engine, image] of images) await dropImage(engine, await image)
})

describe('local tool servers in containers', { skip, timeout: 600_000 }, () => {
  let unit: Unit
  let tools: ToolsSocket
  let image: SampleImage

  before(async () => {
    image = await imageOf('docker')
    unit = await startUnit({
      flags: ['--dev', '--sandbox', 'none', '--mcp-isolation', 'container', '--mcp-engine', 'docker', '--mcp-image', image.image],
      env: { CANARY_VALUE: referenced, ...canaries.variables },
    })
  })
  after(async () => {
    tools?.close()
    await unit?.dispose()
  })

  const { command, args } = { command: '/bin/node', args: ['/app/mcp-sample.mjs'] }
  const grant = async (server: string): Promise<void> => {
    const { id } = await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: 'dev-agent', after: { server, tools: ['echo'] } })
    await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
  }
  const echo = async (server: string, text: string): Promise<string | undefined> =>
    (await tools.call(`${server}__echo`, { text })).body.content?.[0]?.text
  const only = async (): Promise<string> =>
    waitFor('one container', 60_000, async () => {
      const names = await containersOf('docker', unit)
      return names.length === 1 ? names[0] : undefined
    })

  test('an entry without an image runs in that of --mcp-image, granted and called', async () => {
    const many = Object.fromEntries(Object.keys(canaries.variables).map((name) => [`OF_${name}`, `\${${name}}`]))
    const env = { TOKEN: canary, OTHER: '${CANARY_VALUE}', ...many }
    await unit.client.servers.put('Boxed', { transport: 'stdio', command, args, env })
    const { tools: declared, image: used } = await unit.client.servers.probe('Boxed')
    assert.deepEqual(
      declared.map(({ name }) => name),
      ['echo', 'add'],
    )
    assert.deepEqual(used, { id: image.id, pinned: false })
    assert.deepEqual(await containersOf('docker', unit), [], 'a probe leaves nothing behind')
    await grant('Boxed')
    await say(unit, 'hello')
    tools = await openTools(unit)
    assert.equal(await echo('Boxed', 'from inside'), 'from inside')
    assert.equal((await unit.client.servers.show('Boxed')).state?.image?.id, image.id)
  })

  test('values reach the server, and no argument of a program or word of the engine beside its environment', async () => {
    const container = await only()
    const seen = await inspect('docker', container)
    const { Config, ...rest } = seen as unknown as { Config: { Env: string[] } }
    assert.ok(Config.Env.includes(`TOKEN=${canary}`) && Config.Env.includes(`OTHER=${referenced}`))
    const { Env: _env, ...config } = Config
    for (const [name, value] of Object.entries(canaries.variables)) assert.ok(Config.Env.includes(`OF_${name}=${value}`), name)
    assert.doesNotMatch(JSON.stringify({ rest, config }), new RegExp(`${canary}|${referenced}`))
    assert.deepEqual(canaries.found('inspect', JSON.stringify({ rest, config })), [])
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      assert.ok(!line.includes(canary) && !line.includes(referenced), `the arguments of process ${pid}`)
      assert.deepEqual(canaries.found(`the arguments of process ${pid}`, line), [])
    }
    assert.doesNotMatch(unit.lines.join('\n'), new RegExp(`${canary}|${referenced}`))
    assert.deepEqual(canaries.found('the log', unit.lines.join('\n')), [])
    for await (const { path, bytes } of stateFiles(unit)) assert.deepEqual(canaries.found(path, bytes), [])
  })

  test('an image of the entry is pinned to its id and takes the place of the default; one that is not there is named', async () => {
    assert.equal(await putPinned(unit, 'pinned', { transport: 'stdio', command, args, env: {}, image: image.image }), image.id)
    assert.deepEqual((await unit.client.servers.probe('pinned')).image, { id: image.id, pinned: true })
    await unit.client.servers.put('absent', { transport: 'stdio', command, args, image: 'gatehouse-nowhere:1' })
    await assert.rejects(unit.client.servers.probe('absent'), /expected the image gatehouse-nowhere:1 on this host, got none/)
  })

  test('a command that the image does not have is named as such', async () => {
    await unit.client.servers.put('wrong', { transport: 'stdio', command: '/bin/nothing', args: [] })
    await assert.rejects(unit.client.servers.probe('wrong'), /command not found/)
  })

  test('what a server writes to its stderr is in its log, with its values masked', async () => {
    const script = 'console.error("began with " + process.env.TOKEN); process.exit(3)'
    await unit.client.servers.put('talks', { transport: 'stdio', command, args: ['-e', script], env: { TOKEN: '${CANARY_VALUE}' } })
    await assert.rejects(unit.client.servers.probe('talks'), /the server ended/)
    const text = await waitFor('the log of the server', 60_000, async () => {
      const { items } = await unit.client.servers.logs('talks')
      return items.find((line) => line.text.includes('began with'))?.text
    })
    assert.ok(text.includes(mask) && !text.includes(referenced), text)
  })

  test('a variable that would steer the engine is refused, and nothing is started', async () => {
    await unit.client.servers.put('steered', { transport: 'stdio', command, args, env: { LD_PRELOAD: '/tmp/x.so' } })
    await assert.rejects(unit.client.servers.probe('steered'), /LD_PRELOAD/)
  })

  test('after broker and runner were killed nothing of before is left, and the next call works', async () => {
    const old = await only()
    for (const name of ['broker', 'runner']) process.kill(await unit.pidOf(name), 'SIGKILL')
    await waitFor('the earlier container to be gone', 60_000, async () => !(await containersOf('docker', unit)).includes(old))
    await waitFor('a call that works again', 60_000, async () => (await echo('Boxed', 'again').catch(() => undefined)) === 'again')
    assert.notEqual(await only(), old)
  })

  test('a unit that stops takes its containers along', async () => {
    await only()
    await unit.stop()
    assert.deepEqual(await containersOf('docker', unit), [])
  })
})

interface Variant {
  readonly what: string
  readonly engine: EngineName
  readonly runtime?: string
  readonly flags: readonly string[]
  readonly group: string
  readonly token?: string
}

const variants: readonly Variant[] = [
  {
    what: 'under gVisor by --mcp-runtime',
    engine: 'docker',
    runtime: 'runsc',
    flags: ['--dev', '--sandbox', 'none', '--mcp-isolation', 'container', '--mcp-engine', 'docker', '--mcp-runtime', 'runsc'],
    group: 'dev-agent',
  },
  {
    what: 'by podman',
    engine: 'podman',
    flags: ['--dev', '--sandbox', 'none', '--mcp-isolation', 'container', '--mcp-engine', 'podman'],
    group: 'dev-agent',
  },
  {
    what: 'in --demo, whose agents run in containers too',
    engine: 'docker',
    flags: ['--demo'],
    group: 'mock-agent',
    token: demoToken,
  },
]

for (const { what, engine, runtime, flags, group, token } of variants) {
  // Its engine is looked at by itself, wall by wall.
  if (engine === 'podman' && !isFull) continue
  describe(`a local tool server ${what}`, { skip: await lacking(engine, runtime), timeout: 600_000 }, () => {
    let unit: Unit
    let image: SampleImage
    let folder: string
    before(async () => {
      image = await imageOf(engine)
      folder = await freshDirectory()
      unit = await startUnit({
        flags: [...flags, '--mcp-catalog', join(folder, 'catalog.json')],
        ...(token === undefined ? {} : { token }),
      })
    })
    after(async () => {
      await unit?.dispose()
      await rm(folder, { recursive: true, force: true })
    })

    test('is registered, granted and called by an agent', async () => {
      assert.equal(await putPinned(unit, 'Boxed', image.entry), image.id)
      const after = { server: 'Boxed', tools: ['echo'] }
      const { id } = await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: group, after })
      await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
      assert.match(await say(unit, 'tool:Boxed__echo {"text":"from inside"}', group), /from inside/)
      const [container] = await containersOf(engine, unit)
      assert.ok(container !== undefined)
      if (runtime !== undefined) {
        const { HostConfig } = (await inspect(engine, container)) as unknown as { HostConfig: { Runtime: string } }
        assert.equal(HostConfig.Runtime, runtime)
      }
      await unit.stop()
      assert.deepEqual(await containersOf(engine, unit), [])
    })
  })
}
