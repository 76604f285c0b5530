// The images: what is in them and what is not, the same byte for byte wherever they are made, and never for another machine than they say.
// Profile: rest. Builds every image twice, for each architecture.
import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { services } from '@gatehouse/contracts'
import { hashFile, nodeChecksums } from '@gatehouse/engine'
import { execa } from 'execa'
import { type Architecture, architectures, hostArchitecture } from '../src/architecture.ts'
import { buildImages, type BuildOptions, type Built } from '../src/build.ts'
import { hostAddon, release } from '../src/command.ts'
import { checkMachine } from '../src/contents/parts.ts'
import { sharedObjectsOf } from '../src/elf/shared-objects.ts'
import { copy, directory, type Entry, text } from '../src/layer/entry.ts'
import { blobPath, type MadeLayout, writeLayout } from '../src/oci/layout.ts'
import { sandboxSettings } from '../src/settings.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const host = hostArchitecture()

interface Listed {
  readonly mode: string
  readonly owner: string
  readonly path: string
}

interface Parts {
  readonly components: {
    readonly type: string
    readonly name: string
    readonly properties?: { readonly name: string; readonly value: string }[]
  }[]
}

describe('images', { timeout: 300_000 }, () => {
  let room = ''
  let built: Built
  before(async () => {
    room = await mkdtemp(join(tmpdir(), 'gatehouse-images-'))
    built = await buildImages(optionsFor('one'))
  })
  after(() => rm(room, { recursive: true, force: true }))

  const optionsFor = (out: string, more: Partial<BuildOptions> = {}): BuildOptions => ({
    names: ['control-plane', 'sandbox'],
    architectures: [host],
    release,
    out: join(room, out),
    cache: join(room, 'cache'),
    version: '1.2.3',
    revision: 'abc',
    source: 'https://example.org/gatehouse',
    addons: hostAddon(),
    created: '1970-01-01T00:00:00.000Z',
    compressed: false,
    ...more,
  })

  const layoutOf = (name: 'control-plane' | 'sandbox', from = built): MadeLayout => {
    const layout = from.get(name)
    assert.ok(layout !== undefined)
    return layout
  }

  const layersOf = (layout: MadeLayout, architecture: Architecture = host): string[] =>
    layout.images
      .filter((image) => image.architecture === architecture)
      .flatMap(({ layers }) => layers.map((layer) => join(layout.directory, blobPath(layer))))

  const listOf = async (layout: MadeLayout, architecture: Architecture = host): Promise<Listed[]> => {
    const listed: Listed[] = []
    for (const layer of layersOf(layout, architecture)) {
      const { stdout } = await execa('tar', ['--list', '--verbose', '--numeric-owner', '--file', layer])
      for (const line of stdout.split('\n')) {
        const [mode = '', owner = '', , , , path = ''] = line.split(/\s+/)
        listed.push({ mode, owner, path: `/${path}` })
      }
    }
    return listed
  }

  const filesOf = async (layout: MadeLayout, architecture: Architecture = host): Promise<string[]> =>
    (await listOf(layout, architecture)).filter(({ mode }) => mode.startsWith('-')).map(({ path }) => path)

  const configOf = async ({ directory, images }: MadeLayout): Promise<{ readonly config: Record<string, unknown> }> =>
    JSON.parse(await readFile(join(directory, blobPath(images[0]?.config ?? '')), 'utf8')) as { config: Record<string, unknown> }

  it('are the same byte for byte when they are made again elsewhere, of files with other times and modes', async () => {
    const elsewhere = join(room, 'release')
    const left = new Set(['images', 'rootfs', '.image-cache'].map((name) => join(release, name)))
    await cp(release, elsewhere, { recursive: true, filter: (source) => !left.has(source) })
    for (const name of await readdir(elsewhere)) if (name.endsWith('.mjs')) await utimes(join(elsewhere, name), 1, 1)
    await execa('chmod', ['-R', 'go-rwx', elsewhere])
    const again = await buildImages(optionsFor('two', { release: elsewhere, names: ['control-plane'] }))
    assert.equal(layoutOf('control-plane', again).digest, layoutOf('control-plane').digest)
  })

  for (const compressed of [true, false]) {
    it(`have one digest for one content and another for another, ${compressed ? 'compressed' : 'as they are'}`, async () => {
      const write = (out: string, content: string, order: (all: Entry[]) => Entry[]): Promise<MadeLayout> => {
        const entries = order([text('etc/name', content), directory('tmp', 0o1777), copy(join(release, 'load.mjs'), 'agent/load.mjs')])
        const plan = { architecture: host, layers: [{ what: 'all', entries }], settings: sandboxSettings({}) }
        return writeLayout(join(room, out), [plan], { created: '1970-01-01T00:00:00.000Z', compressed })
      }
      const first = await write('small', 'a', (all) => all)
      assert.equal((await write('same', 'a', (all) => all.toReversed())).digest, first.digest)
      assert.notEqual((await write('other', 'b', (all) => all)).digest, first.digest)
      const [file = ''] = layersOf(first)
      assert.equal(`sha256:${await hashFile(file)}`, first.images[0]?.layers[0])
      await execa('tar', ['--list', '--file', file])
    })
  }

  it('hold nothing that says where they were made', async () => {
    for (const layer of layersOf(layoutOf('control-plane')).slice(1)) {
      const { exitCode } = await execa('grep', ['--quiet', '--text', '--fixed-strings', join(release, '..'), layer], { reject: false })
      assert.equal(exitCode, 1, layer)
    }
  })

  it('give the control plane no shell, nothing that its user may change but its mount points, and a Node that can be run and not read', async () => {
    const listed = await listOf(layoutOf('control-plane'))
    const programs = listed.filter(({ path, mode }) => path.startsWith('/bin/') && mode.startsWith('-')).map(({ path }) => path)
    assert.deepEqual(programs.toSorted(), ['/bin/gatehouse', '/bin/healthy', '/bin/node', '/bin/svcctl'])
    const own = listed.filter(({ owner }) => owner !== '0/0').map(({ path, owner }) => `${path} ${owner}`)
    assert.deepEqual(own, ['/run/ 65532/65532', '/var/lib/gatehouse/ 65532/65532', '/var/lib/gatehouse/state/ 65532/65532'])
    assert.deepEqual(
      listed.filter(({ mode }) => /[sS]/.test(mode) || mode[8] === 'w').map(({ path }) => path),
      ['/tmp/'],
    )
    assert.equal(listed.find(({ path }) => path === '/bin/node')?.mode, '-rwx--x--x')
    const processes = services.map((service) => `/app/${service}.mjs`)
    assert.deepEqual(
      processes.filter((path) => !listed.some((one) => one.path === path)),
      [],
    )
  })

  it('give the sandbox what the engine assembles on a host, and the list of its parts', async () => {
    const files = await filesOf(layoutOf('sandbox'))
    const rootfs = join(release, 'rootfs')
    const assembled = (await readdir(rootfs, { recursive: true, withFileTypes: true }))
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(rootfs.length))
    assert.deepEqual(files.toSorted(), [...assembled, '/usr/share/sbom/gatehouse.cdx.json'].toSorted())
  })

  it('say what they are, run as 65532, and listen on loopback until told otherwise', async () => {
    const { config } = await configOf(layoutOf('control-plane'))
    assert.equal(config['User'], '65532:65532')
    assert.deepEqual(config['Entrypoint'], ['/bin/gatehouse'])
    const env = config['Env'] as string[]
    assert.ok(env.includes('SERVICE_SANDBOX=off'))
    assert.equal(
      env.find((one) => one.startsWith('SERVICE_API_ADDR')),
      undefined,
    )
    assert.deepEqual((config['Healthcheck'] as { Test: string[] }).Test, ['CMD', '/bin/healthy'])
    const labels = config['Labels'] as Record<string, string>
    for (const [name, value] of Object.entries({ version: '1.2.3', revision: 'abc', licenses: 'Apache-2.0', title: 'Gatehouse' })) {
      assert.equal(labels[`org.opencontainers.image.${name}`], value)
    }
  })

  it('carry a valid list of parts that names every file in them', async () => {
    for (const name of ['control-plane', 'sandbox'] as const) {
      const text = await readFile(join(room, 'one', `${name}-${host}.cdx.json`), 'utf8')
      assert.equal(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text), null)
      const { components } = JSON.parse(text) as Parts
      const named = new Set(
        components.flatMap((one) => [
          ...(one.type === 'file' ? [one.name] : []),
          ...(one.properties ?? []).filter((property) => property.name === 'gatehouse:path').map(({ value }) => value),
        ]),
      )
      const unnamed = (await filesOf(layoutOf(name))).filter((path) => !named.has(path))
      assert.deepEqual(unnamed, ['/usr/share/sbom/gatehouse.cdx.json'])
      assert.ok(components.some((one) => one.name === (name === 'sandbox' ? 'ai' : '@journeyapps/sqlcipher')))
      assert.equal(components.filter((one) => one.type === 'library' && one.name.startsWith('lib')).length >= 5, true)
    }
  })

  it('are never made of programs of another machine', async () => {
    const other: Architecture = host === 'amd64' ? 'arm64' : 'amd64'
    const places = { architecture: other, sysroot: '/' }
    await assert.rejects(sharedObjectsOf([process.execPath], places), new RegExp(`expected a program for ${other}`))
    const layers = [{ what: 'all', entries: [copy(process.execPath, 'bin/node')] }]
    await assert.rejects(checkMachine(layers, architectures[other].machine), /\/bin\/node: expected a program for machine/)
    await checkMachine(layers, architectures[host].machine)
  })

  it('hold the shared objects that the loader of this machine would take', async () => {
    const { stdout } = await execa('ldd', [process.execPath, join(release, 'node_sqlite3.node')])
    const taken = new Set([...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => String(path)))
    const found = await sharedObjectsOf([process.execPath, join(release, 'node_sqlite3.node')], { architecture: host, sysroot: '/' })
    assert.deepEqual(new Set(found.map(({ target }) => target)), taken)
  })

  if (full) {
    it('are made for arm64 of true files of it', async () => {
      const compressed = await buildImages(optionsFor('five', { architectures: ['amd64', 'arm64'], names: ['sandbox'], compressed: true }))
      const layout = layoutOf('sandbox', compressed)
      const target = join(room, 'arm64')
      await mkdir(target)
      for (const layer of layersOf(layout, 'arm64')) await execa('tar', ['--extract', '--gzip', '--file', layer, '--directory', target])
      const { stdout } = await execa('readelf', ['--file-header', join(target, 'bin/node')])
      assert.match(stdout, /AArch64/)
      assert.ok((await stat(join(target, 'lib/ld-linux-aarch64.so.1'))).isFile())
      assert.equal(await hashFile(join(target, 'bin/node')), nodeChecksums[process.versions.node]?.['arm64'])
    })
  }
})
