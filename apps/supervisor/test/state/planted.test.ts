// A unit whose agent planted whatever could spoil a backup: all else comes back, and what does not is named.
import assert from 'node:assert/strict'
import { lstat, mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { restore } from '@gatehouse/archive'
import { createLogger } from '@gatehouse/kernel'
import { newestOf, subkeysOf } from '../../src/keys/keyring.ts'
import { createBackups } from '../../src/state/backup/backups.ts'
import { deepScratch, plant } from './planted.ts'
import { smallState, type SmallState } from './state.ts'

const passphrase = 'a passphrase of the test 0123456789'
const workspace = 'groups/dev-agent/workspace'

interface Round {
  readonly restored: string
  /** Reasons by the path that was logged. */
  readonly told: ReadonlyMap<string, string>
  readonly more: number
}

const backUp = async ({ dir, epochs }: SmallState, log: ReturnType<typeof createLogger>): Promise<Buffer> => {
  const newest = newestOf(epochs)
  const place = { stateDir: dir, mode: 'production', catalog: null, installation: 'a'.repeat(32), release: '0.0.0' } as const
  const backups = createBackups({ ...place, newest, keys: subkeysOf(newest), masterKey: 'inside', queues: undefined, log })
  const { id } = await backups.begin({ passphrase })
  const pieces: Uint8Array[] = []
  for (let bytes = await backups.read(id); bytes !== null; bytes = await backups.read(id)) pieces.push(bytes)
  await backups.end(id)
  return Buffer.concat(pieces)
}

const roundOf = async (t: TestContext, state: SmallState): Promise<Round> => {
  const told = new Map<string, string>()
  let more = 0
  const write = (line: string): void => {
    const said = JSON.parse(line) as { path: string; why?: string; more?: number }
    if (said.why !== undefined) told.set(said.path.slice(said.path.startsWith(`state/${workspace}/`) ? workspace.length + 7 : 0), said.why)
    more += said.more ?? 0
  }
  const archive = await backUp(state, createLogger({ process: 'test', level: 'warn', write }))
  const { dir: folder } = await smallState(t)
  const [file, restored] = [join(folder, 'backup.age'), join(folder, 'restored')]
  await writeFile(file, archive)
  await restore({ file, opener: { identities: [], passphrase }, stateDir: restored, masterKeyFile: null })
  return { restored, told, more }
}

const isRoot = process.getuid?.() === 0

suite('a backup of a unit whose agent plants what it can', () => {
  test('is restored whole but for what an archive cannot have, each of which is named with the reason', async (t) => {
    const state = await smallState(t, await deepScratch(t))
    await plant(join(state.dir, workspace))
    await mkdir(join(state.dir, 'groups/other-agent'))
    await writeFile(join(state.dir, 'groups/other-agent/notes'), 'mine')
    const { restored, told, more } = await roundOf(t, state)
    const at = (...names: string[]): string => join(restored, workspace, ...names)

    const reasons: Record<string, RegExp> = {
      '\\xff': /^its name is no text$/,
      '\\xfeA': /^its name is no text$/,
      [`${'é'.repeat(100)}\\nx`]: /a character, such as a line break, that an archive cannot represent/,
      'to afar and a line end': /a character, such as a line break, that an archive cannot represent/,
      'to no text': /^the target of this link is no text$/,
      pipe: /neither a file, a directory nor a link/,
      socket: /neither a file, a directory nor a link/,
      endless: /^it is larger than what it takes of the disk/,
      ...(isRoot ? {} : { closed: /^the unit may not read it$/ }),
    }
    const deep = [...told].filter(([path]) => path.includes('…'))
    assert.equal(deep.length, 1)
    assert.match(deep[0]?.[1] ?? '', /^its path is longer than 3800 bytes/)
    const named = [...told].filter(([path]) => !path.includes('…'))
    assert.deepEqual(named.map(([path]) => path).toSorted(), Object.keys(reasons).toSorted())
    for (const [path, why] of named) assert.match(why, reasons[path]!)
    assert.equal(more, 0)
    for (const path of told.keys()) assert.match(path, /^[\x20-\x7eé…]{1,420}$/)

    const leftOut = new Set(['é'.repeat(100) + '\nx', 'to afar and a line end', 'to no text', 'pipe', 'socket', 'endless'])
    if (!isRoot) leftOut.add('closed')
    const planted = (await readdir(join(state.dir, workspace), { encoding: 'latin1' })).filter((name) => !/^(?:\xff|\xfeA)$/.test(name))
    const kept = planted.map((name) => Buffer.from(name, 'latin1').toString('utf8')).filter((name) => !leftOut.has(name))
    assert.deepEqual((await readdir(at())).toSorted(), kept.toSorted())
    for (const name of kept) {
      const found = await lstat(join(state.dir, workspace, name))
      if (found.isFile() && name !== 'closed')
        assert.deepEqual(await readFile(at(name)), await readFile(join(state.dir, workspace, name)), name)
    }
    assert.equal((await readdir(at(...Array.from({ length: 12 }, () => '日'.repeat(80))))).length, 120)
    assert.equal(await readlink(at('to afar')), 'x'.repeat(4095))
    assert.equal(await readlink(at('\nfirst')), '/etc/shadow')
    assert.equal((await stat(at('program'))).mode & 0o7777, 0o755)
    assert.deepEqual(await Promise.all(['before', 'long before'].map(async (name) => (await stat(at(name))).mtimeMs)), [0, 0])
    assert.equal(await readFile(join(restored, 'groups/other-agent/notes'), 'utf8'), 'mine')
  })

  test('says of a group that plants many how many more there were, and hides nothing of another', async (t) => {
    const state = await smallState(t)
    for (const group of ['a-agent', 'b-agent']) await mkdir(join(state.dir, 'groups', group), { recursive: true })
    const count = 70
    for (let index = 0; index < count; index += 1)
      await writeFile(Buffer.concat([Buffer.from(`${state.dir}/groups/a-agent/`), Buffer.from([0xff, 0x30 + index])]), '')
    await writeFile(Buffer.concat([Buffer.from(`${state.dir}/groups/b-agent/`), Buffer.from([0xff])]), '')
    const { told, more } = await roundOf(t, state)
    assert.equal(told.size + more, count + 1)
    assert.ok(told.size < 40)
    assert.equal(told.get('state/groups/b-agent/\\xff'), 'its name is no text')
  })
})
