// A server that is published on npm, packed into an image and run in a container by a whole unit: what it keeps outlives it.
// Profile: rest. Builds an image of a published server; the parts are tested in packages/npm-tree and apps/svcctl.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { after, before, describe, test } from 'node:test'
import type { LocalEntry } from '@gatehouse/contracts'
import { bundle } from '@gatehouse/images'
import { type FixtureRegistry, startRegistry } from '@gatehouse/testkit/npm-registry'
import { execa } from 'execa'
import { say } from '../src/chat.ts'
import { openTools, type ToolsSocket } from '../src/tools-socket.ts'
import { type Ran, runSvcctl } from '../src/svcctl.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { containersOf, lacking, putPinned } from './fixtures/container-world.ts'

interface Packed {
  readonly packages: readonly { readonly name: string; readonly scripts: readonly string[] }[]
  readonly image?: { readonly image: string; readonly id: string }
  readonly entry?: LocalEntry
}

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const skip = await lacking('docker')
/** Of the servers that others publish. */
const version = '2026.8.31'
const own = `gatehouse-packed-${randomBytes(4).toString('hex')}`

/** Packing asks no unit. */
const svcctl = (...args: readonly string[]): Promise<Ran> =>
  runSvcctl(args, { address: 'http://127.0.0.1:9', home: tmpdir(), env: { PATH: process.env['PATH'] ?? '' } })

describe('a server packed from npm', { skip, timeout: 600_000 }, () => {
  let registry: FixtureRegistry
  let unit: Unit
  const images: string[] = []

  before(async () => {
    const program = await readFile(bundle, 'utf8')
    registry = await startRegistry([
      { name: 'tool-part', version: '2.0.0', manifest: { scripts: { postinstall: 'exit 1' } } },
      {
        name: own,
        version: '1.0.0',
        manifest: { type: 'module', bin: { server: 'dist/main.mjs' }, dependencies: { 'tool-part': '2.0.0' } },
        files: [{ path: 'dist/main.mjs', text: program }],
      },
    ])
    unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--mcp-isolation', 'container', '--mcp-engine', 'docker'] })
    await say(unit, 'hello')
  })
  after(async () => {
    await unit?.dispose()
    await registry?.close()
    for (const image of images) await execa('docker', ['image', 'rm', '--force', image], { reject: false })
  })

  const pack = async (...args: readonly string[]): Promise<Packed> => {
    const { code, stdout, stderr } = await svcctl('mcp', 'pack', '--json', '--engine', 'docker', ...args)
    assert.equal(code, 0, stderr)
    const packed = JSON.parse(stdout) as Packed
    if (packed.image !== undefined) images.push(packed.image.image)
    return packed
  }
  const grantAll = async (server: string): Promise<void> => {
    const { id } = await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: 'dev-agent', after: { server, tools: [] } })
    await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
  }

  test('shows the whole tree with what its packages would run, and makes nothing when it is only asked to show', async () => {
    const { packages, image } = await pack(`npm:${own}@1.0.0`, '--registry', registry.url, '--dry-run')
    assert.deepEqual(
      new Map(packages.map(({ name, scripts }) => [name, scripts])),
      new Map([
        [own, []],
        ['tool-part', ['postinstall']],
      ]),
    )
    assert.equal(image, undefined)
  })

  test('makes an image whose entry works as it was printed', async () => {
    const { entry, image } = await pack(`npm:${own}@1.0.0`, '--registry', registry.url)
    assert.ok(entry !== undefined && image !== undefined)
    assert.equal(await putPinned(unit, 'packed', entry), image.id)
    const probed = await unit.client.servers.probe('packed')
    assert.deepEqual(probed.image, { id: image.id, pinned: true })
    await grantAll('packed')
    const tools = await openTools(unit)
    assert.equal((await tools.call('packed__add', { a: 2, b: 3 })).body.content?.[0]?.text, '5')
    tools.close()
  })

  test('a version that is not there is refused', async () => {
    const { code, stderr } = await svcctl('mcp', 'pack', `npm:${own}@9.9.9`, '--registry', registry.url)
    assert.equal(code, 2, stderr)
  })

  if (isFull) {
    /** Packed, registered and granted; what it keeps lies in `/data`. */
    const lend = async (name: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<ToolsSocket> => {
      const { entry } = await pack(`npm:@modelcontextprotocol/server-${name}@${version}`)
      assert.ok(entry !== undefined)
      await unit.client.servers.put(name, { ...entry, args: [...entry.args, ...args], data: true, env })
      await grantAll(name)
      return openTools(unit)
    }
    const textOf = ({ body }: Awaited<ReturnType<ToolsSocket['call']>>): string => {
      assert.ok(body.error === undefined && body.isError === false, JSON.stringify(body))
      return JSON.stringify([body.content, body.structuredContent])
    }
    const killContainer = async (name: string): Promise<string> => {
      const container = (await containersOf('docker', unit)).find((each) => each.includes(`-${name}-`)) ?? ''
      await execa('docker', ['kill', container])
      return container
    }

    test('server-memory keeps what it is told, across a kill of its container', async () => {
      const tools = await lend('memory', [], { MEMORY_FILE_PATH: '/data/memory.json' })
      const ada = { name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }
      textOf(await tools.call('memory__create_entities', { entities: [ada] }))
      const killed = await killContainer('memory')
      const known = await waitFor('what it was told', 60_000, async () => {
        const { body } = await tools.call('memory__read_graph', {})
        return body.content?.[0]?.text?.includes('Ada') === true ? body : undefined
      })
      assert.match(JSON.stringify(known), /wrote the first program/)
      assert.ok(!(await containersOf('docker', unit)).includes(killed))
      tools.close()
    })

    test('server-filesystem writes below /data alone, and finds it again after a kill of its container', async () => {
      const tools = await lend('filesystem', ['/data'])
      textOf(await tools.call('filesystem__write_file', { path: '/data/a.txt', content: 'written by a tool' }))
      const { body } = await tools.call('filesystem__write_file', { path: '/etc/a.txt', content: 'x' })
      assert.equal(body.isError, true, JSON.stringify(body))
      await killContainer('filesystem')
      const read = await waitFor('what it wrote', 60_000, async () => {
        const answer = await tools.call('filesystem__read_text_file', { path: '/data/a.txt' })
        return answer.body.isError === false ? answer : undefined
      })
      assert.match(textOf(read), /written by a tool/)
      tools.close()
    })

    test('server-everything answers with each kind of content, and sees only the environment of its container', async () => {
      const tools = await lend('everything', [], { MINE: 'yes' })
      assert.match(textOf(await tools.call('everything__echo', { message: 'hello' })), /hello/)
      assert.match(textOf(await tools.call('everything__get-sum', { a: 2, b: 40 })), /42/)
      assert.match(textOf(await tools.call('everything__get-tiny-image', {})), /image\/png/)
      assert.match(textOf(await tools.call('everything__get-structured-content', { location: 'Chicago' })), /temperature/)
      const env = textOf(await tools.call('everything__get-env', {}))
      assert.match(env, /MINE/)
      assert.doesNotMatch(env, /GATEHOUSE|SERVICE_/)
      tools.close()
    })

    test('server-sequential-thinking counts the thoughts that it was told', async () => {
      const tools = await lend('sequential-thinking')
      const think = (thoughtNumber: number) =>
        tools.call('sequential-thinking__sequentialthinking', {
          thought: 'one after another',
          nextThoughtNeeded: thoughtNumber < 2,
          thoughtNumber,
          totalThoughts: 2,
        })
      textOf(await think(1))
      assert.match(textOf(await think(2)), /thoughtHistoryLength[^0-9]*2/)
      tools.close()
    })
  }
})
