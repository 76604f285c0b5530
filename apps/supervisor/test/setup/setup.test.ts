// Setting up a host: made once, nothing the second time, and nothing left when it is taken away; always in a tree of the test's own.
import assert from 'node:assert/strict'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { exits } from '@gatehouse/contracts'
import { identities, reserved } from '../../src/identities.ts'
import { hostIds } from '../../src/setup-steps/host-ids.ts'
import { stateDirectory } from '../../src/setup-steps/host.ts'
import type { Step } from '../../src/setup-steps/step.ts'
import { runSetup } from '../../src/setup/run.ts'

const owner = `${process.getuid?.()}:${process.getgid?.()}`
const line = `gatehouse:${reserved.first}:${reserved.count}`

const open = async (t: TestContext) => {
  const home = await mkdtemp(join(tmpdir(), 'gh-setup-'))
  t.after(() => rm(home, { recursive: true }))
  const [etc, stateDir] = [join(home, 'etc'), join(home, 'var/state')]
  await mkdir(etc)
  await writeFile(join(etc, 'subuid'), 'somebody:100000:65536\n', { mode: 0o644 })
  const run = async (argv: readonly string[], steps: readonly Step[] = [hostIds, stateDirectory]) => {
    const said: string[] = []
    const options = { env: {}, write: (text: string) => void said.push(text), site: { etc, run: join(home, 'run') }, isRoot: true, steps }
    const exit = await runSetup(['--state-dir', stateDir, '--owner', owner, ...argv], options)
    return { exit, said: said.join('') }
  }
  /** Everything that there is, with its mode and its text. */
  const tree = async (): Promise<string[]> => {
    const entries = await readdir(home, { recursive: true, withFileTypes: true })
    const lines = entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const { mode, mtimeMs } = await stat(path)
      return `${path} ${mode} ${entry.isFile() ? `${mtimeMs} ${await readFile(path, 'utf8')}` : ''}`
    })
    return (await Promise.all(lines)).toSorted()
  }
  return { etc, stateDir, run, tree }
}

describe('setting up a host', () => {
  it('makes what lacks, changes nothing the second time, and leaves nothing when it is taken away', async (t) => {
    const { etc, stateDir, run, tree } = await open(t)
    const first = await run([])
    assert.equal(first.exit, exits.stopped)
    assert.match(
      first.said,
      /before:\n +host-ids +lacking .*\n +state-directory +lacking .*\n.*after:\n +host-ids +ready .*\n +state-directory +ready /s,
    )
    assert.equal(await readFile(join(etc, 'subuid'), 'utf8'), `somebody:100000:65536\n${line}\n`)
    assert.equal(await readFile(join(etc, 'subgid'), 'utf8'), `${line}\n`)
    assert.deepEqual([(await stat(join(etc, 'subuid'))).mode & 0o777, (await stat(stateDir)).mode & 0o777], [0o644, 0o700])
    const made = await tree()
    assert.equal((await run([])).exit, exits.stopped)
    assert.deepEqual(await tree(), made)
    assert.equal((await run(['--remove'])).exit, exits.stopped)
    assert.equal(await readFile(join(etc, 'subuid'), 'utf8'), 'somebody:100000:65536\n')
    assert.equal(await readFile(join(etc, 'subgid'), 'utf8'), '')
    await assert.rejects(stat(stateDir), { code: 'ENOENT' })
    assert.equal((await run(['--remove'])).exit, exits.stopped)
  })

  it('only shows what lacks with --dry-run, also without root', async (t) => {
    const { run, tree, stateDir, etc } = await open(t)
    const before = await tree()
    const { exit, said } = await run(['--dry-run'])
    assert.equal(exit, exits.configuration)
    assert.match(said, /^now:\n +host-ids +lacking /)
    assert.deepEqual(await tree(), before)
    const options = {
      env: { SERVICE_STATE_DIR: stateDir },
      write: () => undefined,
      site: { etc, run: join(etc, 'run') },
      isRoot: false,
      steps: [hostIds],
    }
    assert.equal(await runSetup(['--dry-run'], options), exits.configuration)
    await assert.rejects(runSetup([], options), { exit: exits.noPermission })
    await assert.rejects(runSetup(['--remove'], options), { exit: exits.noPermission })
    assert.deepEqual(await tree(), before)
  })

  it('repairs the mode of a state directory, and keeps one that holds something', async (t) => {
    const { run, stateDir } = await open(t)
    await run([])
    await chmod(stateDir, 0o755)
    assert.match((await run([])).said, /state-directory +lacking .*0755.*state-directory +ready/s)
    await writeFile(join(stateDir, 'state.json'), '{}')
    assert.match((await run(['--remove'])).said, /stays: it is not empty/)
    assert.equal(await readFile(join(stateDir, 'state.json'), 'utf8'), '{}')
  })

  const asRoot = process.getuid?.() === 0 ? false : 'needs root: to give a directory to somebody'
  it('gives no state of one unit to another, and says how it gets there', { skip: asRoot }, async (t) => {
    const { run, stateDir } = await open(t)
    await run([])
    await chown(stateDir, 1234, 1234)
    assert.match((await run([])).said, /state-directory +lacking .* is of 1234:1234 .*state-directory +ready/s)
    await writeFile(join(stateDir, 'state.json'), '{}')
    await chown(stateDir, 1234, 1234)
    const { exit, said } = await run([])
    assert.equal(exit, exits.configuration)
    assert.match(said, /state-directory +blocked .*of a unit of uid 1234: back it up by that unit, move it away, and restore it/)
    assert.equal((await stat(stateDir)).uid, 1234)
  })

  it('takes no ids that somebody else was given', async (t) => {
    const { run, etc } = await open(t)
    await writeFile(join(etc, 'subgid'), 'other:750000:65536\n')
    const { exit, said } = await run([])
    assert.equal(exit, exits.configuration)
    assert.match(said, /host-ids +blocked .*other:750000:65536/)
    assert.equal(await readFile(join(etc, 'subgid'), 'utf8'), 'other:750000:65536\n')
  })

  it('takes no ids that somebody of the host has', async (t) => {
    const { run, etc } = await open(t)
    await writeFile(join(etc, 'passwd'), `root:x:0:0::/root:/bin/sh\nbob:x:${reserved.first + 7}:100::/:/bin/sh\n`)
    const { exit, said } = await run([])
    assert.equal(exit, exits.configuration)
    assert.match(said, /host-ids +blocked .*passwd .*bob/)
  })

  it('is one at a time, and says so to another', async (t) => {
    const { run } = await open(t)
    const [begun, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: Step = {
      name: 'slow',
      look: () => Promise.resolve({ state: 'lacking', says: 'not yet' }),
      make: () => (begun.resolve(), may.promise),
      remove: () => Promise.resolve(undefined),
    }
    const first = run([], [slow])
    await begun.promise
    for (const argv of [[], ['--remove']]) await assert.rejects(run(argv), { exit: exits.stateInUse, detail: /only gatehouse setup/ })
    assert.match((await run(['--dry-run'])).said, /^now:/)
    may.resolve()
    await first
    assert.equal((await run([])).exit, exits.stopped)
  })

  it('makes the rest where one thing fails, says what failed, and ends so that it is tried again', async (t) => {
    const { run, stateDir } = await open(t)
    const broken: Step = {
      name: 'broken',
      look: () => Promise.resolve({ state: 'lacking', says: 'not there' }),
      make: () => Promise.reject(new Error('no luck')),
      remove: () => Promise.resolve(undefined),
    }
    const { exit, said } = await run([], [broken, stateDirectory])
    assert.equal(exit, exits.childCannotStart)
    assert.match(said, /after:\n +broken +lacking .*\n +state-directory +ready .*\nbroken was not made: no luck\n/)
    assert.ok((await stat(stateDir)).isDirectory())
  })

  it('takes disks from nobody where no state directory says whose they are', async (t) => {
    const { stateDir, etc } = await open(t)
    const options = { env: {}, write: () => undefined, site: { etc, run: join(etc, 'run') }, isRoot: true, steps: [] }
    const words = ['--state-dir', stateDir, '--disks', '1x16']
    await assert.rejects(runSetup(words, options), { exit: exits.configuration, detail: /expected --owner/ })
    await mkdir(stateDir, { recursive: true })
    assert.equal(await runSetup(words, options), exits.stopped)
  })

  it('keeps from others all ids that a unit hands out', () => {
    const last = reserved.first + reserved.count - 1
    for (const first of [identities.uid - 10, identities.gid - 10]) assert.ok(first >= reserved.first)
    assert.ok(identities.gid + 900_000 <= last && identities.uid + 1_000_000 + 90_000 <= last)
  })

  it('refuses what it does not know', async (t) => {
    const { run } = await open(t)
    for (const argv of [['--slots'], ['now'], ['--dry-run', '--remove'], ['--owner', 'root']])
      await assert.rejects(run(argv), { exit: exits.configuration }, argv.join(' '))
  })
})
