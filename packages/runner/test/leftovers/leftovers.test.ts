// What a start removes of other units: of those that have ended, and of no other.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createLogger, readUnitRecord, runnerLockName, takeLock, unitLockName, type UnitRecord, writeUnitRecord } from '@gatehouse/kernel'
import { createLeftovers, type HostTraces } from '../../src/leftovers/leftovers.ts'

/** Engines and control groups that hold what is in `left`; each look takes one of it away. */
const hostWith = (left: string[]) => {
  const looked: string[] = []
  const look = async (place: string): Promise<number> => {
    looked.push(place)
    const at = left.indexOf(place)
    if (at === -1) return 0
    left.splice(at, 1)
    return 1
  }
  const traces: HostTraces = {
    removeGroups: (id) => look(`group ${id}`),
    removeContainers: (engine, id, kind) => look(`${engine} ${kind} ${id}`),
  }
  return { looked, traces }
}

const openBase = async (t: TestContext) => {
  const base = await mkdtemp(join(tmpdir(), 'gh-leftovers-'))
  t.after(() => rm(base, { recursive: true, force: true }))
  const lines: string[] = []
  const log = createLogger({ process: 'test', level: 'debug', write: (line) => void lines.push(line) })
  const own = join(base, 'own')
  const boot = { installation: 'one', unitId: 'own-id', formerUnitIds: ['former-id'], stateDir: '/state/own', runDir: own }
  const add = async (name: string, changed: Partial<UnitRecord> = {}): Promise<string> => {
    const runDir = join(base, name)
    await mkdir(runDir)
    const unitIds = [`${name}-id`, `${name}-former`]
    await writeUnitRecord(runDir, { installation: 'one', stateDir: `/state/${name}`, unitIds, engines: [], isHalf: false, ...changed })
    await writeFile(join(runDir, unitLockName), '')
    return runDir
  }
  await add('own')
  return {
    add,
    own,
    lines,
    open: (traces: HostTraces) => createLeftovers(boot, log, traces),
    openHalf: (traces: HostTraces) => createLeftovers({ ...boot, halves: { control: '/c', runner: own } }, log, traces),
  }
}

const groups = (...ids: string[]): string[] => ids.map((id) => `group ${id}`)

const lockFile = async (t: TestContext, path: string): Promise<void> => {
  const lock = await takeLock(path, { create: true })
  assert.ok(lock !== undefined)
  t.after(() => lock.release())
}

test('what this unit and ended units of its installation left is removed, with their runtime directories', async (t) => {
  const { add, open } = await openBase(t)
  const [ended, stranger] = [await add('ended'), await add('stranger', { installation: 'two' })]
  const { traces, looked } = hostWith(groups('own-id', 'ended-former'))
  await open(traces).remove()
  assert.deepEqual([...new Set(looked)], groups('own-id', 'former-id', 'ended-id', 'ended-former'))
  assert.deepEqual([existsSync(ended), existsSync(stranger)], [false, true])
})

test('it is looked for in every engine that the unit has used, whatever this start uses', async (t) => {
  const { add, open, own } = await openBase(t)
  const ended = await add('ended', { engines: ['podman'] })
  const left = [
    'docker sandboxes own-id',
    'docker tool-containers former-id',
    'podman sandboxes ended-id',
    'podman tool-containers ended-id',
  ]
  const { traces } = hostWith(left)
  const leftovers = open(traces)
  await Promise.all([leftovers.engines.add('docker'), leftovers.engines.add('docker')])
  assert.deepEqual((await readUnitRecord(own))?.engines, ['docker'])
  await leftovers.remove()
  assert.deepEqual(left, [])
  assert.ok(!existsSync(ended))
})

test('where an engine does not answer, the record of an ended unit stays, and this unit starts', async (t) => {
  const { add, open, lines } = await openBase(t)
  const ended = await add('ended', { engines: ['docker'] })
  const { traces, looked } = hostWith([])
  const silent: HostTraces = {
    ...traces,
    removeContainers: async (engine) => {
      throw new Error(`${engine} is silent`)
    },
  }
  const leftovers = open(silent)
  await leftovers.engines.add('podman')
  await leftovers.remove()
  assert.deepEqual((await readUnitRecord(ended))?.unitIds, ['ended-id', 'ended-former'])
  assert.match(lines.join('\n'), /podman is silent[^]*docker is silent/)
  assert.ok(looked.includes('group ended-id'))
  await open(traces).remove()
  assert.ok(!existsSync(ended), 'a later start removes it')
})

test('what does not go away keeps the record of an ended unit', async (t) => {
  const { add, open } = await openBase(t)
  const ended = await add('ended')
  await open({ removeGroups: async (id) => Number(id === 'ended-id'), removeContainers: async () => 0 }).remove()
  assert.ok(existsSync(ended))
})

for (const [what, name] of [
  ['its lock', unitLockName],
  ['the lock of its runner', runnerLockName],
] as const) {
  test(`a unit is running while ${what} is held: what it owns is left alone, and the log names its state directory`, async (t) => {
    const { add, open, lines } = await openBase(t)
    const running = await add('running')
    await lockFile(t, join(running, name))
    const before = await readFile(join(running, 'unit.json'), 'utf8')
    const { traces, looked } = hostWith([])
    await open(traces).remove()
    assert.deepEqual(looked, groups('own-id', 'former-id'))
    assert.equal(await readFile(join(running, 'unit.json'), 'utf8'), before)
    assert.match(lines.join('\n'), /another unit with the same installation id is running; leaving its files in place.*\/state\/running/)
  })
}

test('a unit of which nobody can tell whether it runs is left alone', async (t) => {
  const { add, open, lines } = await openBase(t)
  const [swept, unread] = [await add('swept'), await add('unread')]
  await rm(join(swept, unitLockName))
  await writeFile(join(unread, 'unit.json'), '{')
  const { traces, looked } = hostWith([])
  await open(traces).remove()
  assert.deepEqual(looked, groups('own-id', 'former-id'))
  assert.deepEqual([existsSync(swept), existsSync(unread), existsSync(join(swept, unitLockName))], [true, true, false])
  assert.match(lines.join('\n'), /cannot tell whether a unit with the same installation id is running/)
})

test('a half of a split unit removes only its own, and no other unit removes what is of a half', async (t) => {
  const { add, open, openHalf } = await openBase(t)
  const half = await add('control', { isHalf: true })
  const { traces, looked } = hostWith([])
  await open(traces).remove()
  assert.ok(existsSync(half), 'sandboxes of the other half may use it')
  const ended = await add('ended')
  await openHalf(traces).remove()
  assert.deepEqual(new Set(looked), new Set(groups('own-id', 'former-id')))
  assert.ok(existsSync(ended))
})

test('whoever holds the lock to remove what a unit left says so', async (t) => {
  const { add, open } = await openBase(t)
  const ended = await add('ended')
  const seen: (string | undefined)[] = []
  const removeGroups = async (id: string): Promise<number> => {
    if (id === 'ended-id') seen.push((await readUnitRecord(ended))?.cleaner)
    return 0
  }
  await open({ removeGroups, removeContainers: async () => 0 }).remove()
  assert.deepEqual(seen, ['/state/own'])
})

test('everything is gone at the end when nothing of this unit is found any more, and not before', async (t) => {
  const { open } = await openBase(t)
  const left = ['group own-id', 'docker sandboxes own-id', 'docker sandboxes own-id']
  const { traces } = hostWith(left)
  const leftovers = open(traces)
  await leftovers.engines.add('docker')
  const { signal } = new AbortController()
  const own = [1, 0]
  assert.equal(await leftovers.clear(async () => own.shift() ?? 0, signal), true)
  assert.deepEqual(left, [])
  assert.equal(await leftovers.clear(async () => 1, signal), false, 'what always appears again')
  assert.equal(await leftovers.clear(async () => 0, AbortSignal.abort()), false, 'nobody has looked')
  assert.equal(await leftovers.clear(() => Promise.reject(new Error('the engine is silent')), signal), false)
})
