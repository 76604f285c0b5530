// The content of the root file system, and its reproducibility.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { execa } from 'execa'
import { assembleRootfs } from '../../src/rootfs/assemble.ts'
import { profilePath } from '../../src/rootfs/layout.ts'

const makeRoom = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'rootfs-'))
  const program = join(directory, 'hello.mjs')
  await writeFile(program, 'console.log("hello")\n', { mode: 0o600 })
  const options = (target: string) => ({
    target: join(directory, target),
    node: process.execPath,
    files: [{ source: program, target: '/agent/agent.mjs' }],
  })
  return { directory, program, options, remove: () => rm(directory, { recursive: true }) }
}

const room = async (context: TestContext) => {
  const made = await makeRoom()
  context.after(made.remove)
  return made
}

describe('the root file system', () => {
  /** Made once for those that only look at it. */
  let own: Awaited<ReturnType<typeof makeRoom>>
  let digest: string
  before(async () => {
    own = await makeRoom()
    ;({ digest } = await assembleRootfs(own.options('root')))
  })
  after(() => own.remove())

  it('contains only Node, its shared objects and the programs', async () => {
    const { target } = own.options('root')
    const files = (await readdir(target, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    const others = files.map((path) => path.slice(target.length)).filter((path) => !/\/(ld-linux[^/]*|lib[^/]+)\.so(\.\d+)*$/.test(path))
    assert.deepEqual(others.toSorted(), ['/agent/agent.mjs', '/bin/node', '/etc/group', '/etc/nsswitch.conf', '/etc/passwd'])
    assert.equal((await stat(join(target, 'tmp'))).mode & 0o7777, 0o1777)
    assert.equal((await stat(join(target, 'agent/agent.mjs'))).mode & 0o7777, 0o644)
    for (const name of [
      'workspace',
      'memory',
      'shared',
      'packages',
      'run/gatehouse/session',
      'run/gatehouse/model',
      'run/gatehouse/tools',
    ]) {
      assert.ok((await stat(join(target, name))).isDirectory())
    }
    JSON.parse(await readFile(profilePath(target, { gvisor: false }), 'utf8'))
  })

  it('has one digest for one content, wherever it is made, and another for another', async (t) => {
    const { options, program } = await room(t)
    assert.match(digest, /^[0-9a-f]{64}$/)
    assert.deepEqual(await assembleRootfs(options('two')), { digest })
    await writeFile(program, 'console.log("goodbye")\n')
    assert.notDeepEqual(await assembleRootfs(options('two')), { digest })
  })

  it('is identical byte for byte in concurrent assemblies', async (t) => {
    const { directory, options } = await room(t)
    const targets = ['one', 'two', 'two']
    const made = await Promise.all(targets.map((target) => assembleRootfs(options(target))))
    assert.equal(new Set(made.map(({ digest }) => digest)).size, 1)
    const packed = async (target: string): Promise<string> => {
      const args = ['--directory', join(directory, target), '--sort=name', '--numeric-owner', '--create', '.']
      const { stdout } = await execa('tar', args, { buffer: false }).pipe('sha256sum')
      return stdout
    }
    assert.equal(await packed('one'), await packed('two'))
    assert.deepEqual(
      (await readdir(directory)).filter((name) => name.includes('.new-')),
      [],
    )
  })

  it('refuses a Node binary that is not the one of this release', async (t) => {
    const { directory, options } = await room(t)
    const other = join(directory, 'other-node')
    await writeFile(other, Buffer.concat([await readFile('/bin/true'), Buffer.from('changed')]), { mode: 0o755 })
    await assert.rejects(assembleRootfs({ ...options('root'), node: other }), /the Node binary has the unknown checksum [0-9a-f]{64}/)
    assert.deepEqual((await readdir(directory)).toSorted(), ['hello.mjs', 'other-node'])
  })

  it('is reused when nothing has changed, and assembled again when it was removed', async () => {
    const { options } = own
    const { target } = options('root')
    const { ino } = await stat(target)
    assert.deepEqual(await assembleRootfs(options('root')), { digest })
    assert.equal((await stat(target)).ino, ino)
    await rm(target, { recursive: true })
    assert.deepEqual(await assembleRootfs(options('root')), { digest })
    assert.ok((await stat(join(target, 'bin/node'))).isFile())
  })

  it('leaves nothing beside it when a program is missing', async (t) => {
    const { directory, options } = await room(t)
    const files = [{ source: join(directory, 'absent.mjs'), target: '/agent/agent.mjs' }]
    await assert.rejects(assembleRootfs({ ...options('root'), files }), /ENOENT/)
    assert.deepEqual(await readdir(directory), ['hello.mjs'])
  })

  it('starts its own Node by its own loader', async () => {
    const { target } = own.options('root')
    const loader = (await readdir(target, { recursive: true })).find((path) => /ld-linux[^/]*\.so\.\d+$/.test(path))
    assert.ok(loader !== undefined)
    const libraries = (await readdir(target, { recursive: true }))
      .filter((path) => path.includes('/libc.so'))
      .map((path) => join(target, path, '..'))
    const { stdout } = await execa(join(target, loader), [
      '--library-path',
      libraries.join(':'),
      join(target, 'bin/node'),
      join(target, 'agent/agent.mjs'),
    ])
    assert.equal(stdout, 'hello')
  })
})
