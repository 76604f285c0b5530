// Resolving, refusing and downloading trees of packages.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { connect, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { fetchTree, lockDigest, removeTree, resolveTree, TreeRefused, type TreeRule } from '../src/index.ts'
import { archive, packageArchive } from '@gatehouse/testkit/npm-archive'
import { type FixtureRegistry, type Published, startRegistry } from '@gatehouse/testkit/npm-registry'

const isEven: Published = {
  name: 'is-even',
  version: '1.0.0',
  manifest: { type: 'module', exports: './index.js', dependencies: { 'is-odd': '^3.0.0' } },
  files: [{ path: 'index.js', text: `import isOdd from 'is-odd'\nexport default (n) => !isOdd(n)\n` }],
}
const isOdd: Published = {
  name: 'is-odd',
  version: '3.0.1',
  manifest: { type: 'module', exports: './lib/index.js' },
  files: [{ path: 'lib/index.js', text: 'export default (n) => n % 2 === 1\n' }],
}

const refusedBy =
  (rule: TreeRule, words: RegExp = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof TreeRefused, String(error))
    assert.equal(error.rule, rule, error.message)
    assert.match(error.message, words)
    return true
  }

describe('a tree of packages', () => {
  let directory = ''
  let registry: FixtureRegistry
  const at = (): { url: string } => ({ url: registry.url })
  const publish = (...published: Published[]): void => {
    for (const one of published) registry.publish(one)
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'npm-tree-'))
  })
  beforeEach(async () => {
    registry = await startRegistry([isEven, isOdd])
  })
  afterEach(() => registry.close())
  after(() => removeTree(directory))

  test('is resolved to the same lock each time, with the properties of each package', async () => {
    const lock = await resolveTree(['is-even@1.0.0'], at(), directory)
    const again = await resolveTree(['is-even@1.0.0'], at(), directory)
    assert.deepEqual(lock, again)
    assert.equal(lockDigest(lock), lockDigest(again))
    assert.deepEqual(
      lock.packages.map(({ path, name, version, scripts, binaries }) => ({ path, name, version, scripts, binaries })),
      [
        { path: 'node_modules/is-even', name: 'is-even', version: '1.0.0', scripts: [], binaries: [] },
        { path: 'node_modules/is-odd', name: 'is-odd', version: '3.0.1', scripts: [], binaries: [] },
      ],
    )
    assert.deepEqual(
      (await readdir(directory)).filter((name) => name.startsWith('tree-')),
      [],
    )
  })

  test('lists its install scripts and binaries', async () => {
    publish({
      name: 'native',
      version: '1.0.0',
      manifest: { scripts: { postinstall: 'node evil.js', test: 'x' } },
      files: [
        { path: 'build/thing', text: '\x7fELF and more' },
        { path: 'addon.node', text: 'anything' },
        { path: 'binding.gyp', text: '{}' },
      ],
    })
    const { packages } = await resolveTree(['native@1.0.0'], at(), directory)
    assert.deepEqual(packages[0]?.scripts, ['binding.gyp', 'postinstall'])
    assert.deepEqual(packages[0]?.binaries, ['addon.node', 'build/thing'])
  })

  test('is written to read-only files in a directory named by the lock', async () => {
    const lock = await resolveTree(['is-even@1.0.0'], at(), directory)
    const { digest, path } = await fetchTree(lock, at(), directory)
    assert.equal(path, join(directory, digest))
    assert.equal(digest, lockDigest(lock))
    assert.equal(await readFile(join(path, 'node_modules/is-odd/lib/index.js'), 'utf8'), 'export default (n) => n % 2 === 1\n')
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      const { mode, nlink } = await stat(join(entry.parentPath, entry.name))
      assert.ok(entry.isDirectory() || (entry.isFile() && nlink === 1), entry.name)
      assert.equal(mode & 0o777, entry.isDirectory() ? 0o555 : 0o444)
    }
    const before = registry.asked.length
    assert.deepEqual(await fetchTree(lock, at(), directory), { digest, path })
    assert.equal(registry.asked.length, before)
  })

  const strangers = {
    'a git dependency': 'git+https://example.org/a/b.git',
    'a git host shorthand': 'someone/something',
    'an address': 'https://example.org/x.tgz',
    'a file': 'file:../../etc',
    'an alias': 'npm:is-odd@3.0.1',
  }
  for (const [what, spec] of Object.entries(strangers)) {
    test(`refuses ${what} as a transitive dependency`, async () => {
      publish({ name: 'bad', version: '1.0.0', manifest: { dependencies: { 'is-even': spec } } })
      publish({ name: 'top', version: '1.0.0', manifest: { dependencies: { bad: '*' } } })
      await assert.rejects(resolveTree(['top@1.0.0'], at(), directory), refusedBy('not-from-registry'))
    })
    test(`refuses ${what} as an optional dependency`, async () => {
      publish({ name: 'bad', version: '1.0.0', manifest: { optionalDependencies: { 'is-even': spec } } })
      await assert.rejects(resolveTree(['bad@1.0.0'], at(), directory), refusedBy('not-from-registry'))
    })
    test(`refuses ${what} in the request`, async () => {
      await assert.rejects(resolveTree([`x@${spec}`], at(), directory), refusedBy('not-from-registry'))
      assert.deepEqual(registry.asked, [])
    })
  }

  test('refuses unknown packages and versions', async () => {
    await assert.rejects(resolveTree(['nothing@1.0.0'], at(), directory), refusedBy('not-found', /nothing/))
    await assert.rejects(resolveTree(['is-odd@9.9.9'], at(), directory), refusedBy('not-found'))
    await assert.rejects(resolveTree(['in valid'], at(), directory), refusedBy('bad-name'))
  })

  test('refuses a tarball that does not match the digest of the registry', async () => {
    publish({ ...isOdd, integrity: `sha512-${Buffer.alloc(64, 1).toString('base64')}` })
    await assert.rejects(resolveTree(['is-even@1.0.0'], at(), directory), refusedBy('wrong-integrity', /is-odd@3\.0\.1/))
  })

  test('refuses a tarball that was replaced after approval, and leaves no files', async () => {
    const lock = await resolveTree(['is-even@1.0.0'], at(), directory)
    // With a matching digest: the registry itself serves another package.
    publish({ ...isOdd, files: [{ path: 'lib/index.js', text: 'throw new Error("exchanged")' }] })
    const empty = await mkdtemp(join(directory, 'empty-'))
    await assert.rejects(fetchTree(lock, at(), empty), refusedBy('wrong-integrity', /is-odd@3\.0\.1/))
    assert.deepEqual(await readdir(empty), [])
    // The same bytes are accepted with a matching lock, so the lock caused the refusal.
    const { path } = await fetchTree(await resolveTree(['is-even@1.0.0'], at(), directory), at(), empty)
    assert.match(await readFile(join(path, 'node_modules/is-odd/lib/index.js'), 'utf8'), /exchanged/)
  })

  test('refuses a tarball URL or a redirect to another host', async () => {
    publish({ ...isOdd, tarball: 'http://127.0.0.2:9/is-odd.tgz' })
    await assert.rejects(resolveTree(['is-odd@3.0.1'], at(), directory), refusedBy('not-from-registry', /127\.0\.0\.2/))
    const dialled: string[] = []
    const elsewhere = createServer((request, response) => void response.end(String(dialled.push(request.url ?? '')))).listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    const address = elsewhere.address()
    assert.ok(address !== null && typeof address !== 'string')
    const redirecting = createServer((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${address.port}/x` }).end(),
    ).listen(0, '127.0.0.1')
    await once(redirecting, 'listening')
    const from = redirecting.address()
    assert.ok(from !== null && typeof from !== 'string')
    await assert.rejects(
      resolveTree(['is-odd@3.0.1'], { url: `http://127.0.0.1:${from.port}/` }, directory),
      refusedBy('not-from-registry'),
    )
    assert.deepEqual(dialled, [])
    for (const server of [elsewhere, redirecting]) {
      server.closeAllConnections()
      server.close()
    }
  })

  const archives: Record<string, Buffer> = {
    'a symbolic link': packageArchive({ name: 'x' }, [{ path: 'evil', type: 'SymbolicLink', linkpath: '/etc/passwd' }]),
    'a hard link': packageArchive({ name: 'x' }, [{ path: 'evil', type: 'Link', linkpath: 'package/package.json' }]),
    'a fifo': packageArchive({ name: 'x' }, [{ path: 'evil', type: 'FIFO' }]),
    'a device': packageArchive({ name: 'x' }, [{ path: 'evil', type: 'CharacterDevice' }]),
    'a path that leads out': archive([{ path: 'package/../../evil', text: 'x' }]),
    'an absolute path': archive([{ path: '/package/evil', text: 'x' }]),
    'bytes that are not an archive': Buffer.from('this is no archive'),
  }
  for (const [what, tarball] of Object.entries(archives)) {
    test(`refuses a tarball with ${what}`, async () => {
      publish({
        name: 'x',
        version: '1.0.0',
        exchanged: tarball,
        integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
      })
      await assert.rejects(resolveTree(['x@1.0.0'], at(), directory), refusedBy('bad-archive'))
    })
  }

  test('reaches the registry only through a unix socket if one is given', async () => {
    const path = join(directory, 'way.sock')
    const { port } = new URL(registry.url)
    let crossed = 0
    const way = createSocketServer((inside) => {
      crossed += 1
      const outside = connect(Number(port), '127.0.0.1')
      inside.pipe(outside).pipe(inside)
      for (const one of [inside, outside]) one.on('error', () => [inside, outside].forEach((socket) => socket.destroy()))
    }).listen(path)
    await once(way, 'listening')
    // The host does not resolve, so only the socket can reach it.
    const sealed = { url: 'http://registry.invalid/', socket: path }
    publish({ ...isOdd, tarball: 'http://registry.invalid/is-odd/-/is-odd-3.0.1.tgz' })
    const lock = await resolveTree(['is-odd@3.0.1'], sealed, directory)
    assert.equal(lock.packages[0]?.tarball, 'http://registry.invalid/is-odd/-/is-odd-3.0.1.tgz')
    assert.ok(crossed > 0)
    way.close()
  })
})
