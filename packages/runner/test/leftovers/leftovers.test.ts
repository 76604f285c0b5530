// What a start removes of other units: of those that have ended, and of no other.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createLogger, takeLock, unitLockName, writeUnitRecord } from '@gatehouse/kernel'
import { createLeftovers, type Kind } from '../../src/leftovers/leftovers.ts'

const place = { image: null, engine: null, runtime: null, mountAllow: [], ownPaths: [] }

const openBase = async (t: TestContext) => {
  const base = await mkdtemp(join(tmpdir(), 'gh-leftovers-'))
  t.after(() => rm(base, { recursive: true, force: true }))
  const lines: string[] = []
  const log = createLogger({ process: 'test', level: 'debug', write: (line) => void lines.push(line) })
  const own = join(base, 'own')
  const boot = { installation: 'one', unitId: 'own-id', formerUnitIds: ['former-id'], runDir: own, sandbox: 'auto' as const }
  const removed: string[] = []
  const add = async (name: string, installation: string): Promise<string> => {
    const runDir = join(base, name)
    await mkdir(runDir)
    await writeUnitRecord(runDir, { installation, stateDir: `/state/${name}`, unitIds: [`${name}-id`, `${name}-former`] })
    await writeFile(join(runDir, unitLockName), '')
    return runDir
  }
  await add('own', 'one')
  return {
    add,
    lines,
    removed,
    open: (toolContainers: typeof place | null = null) => createLeftovers({ ...boot, toolContainers }, log),
    openHalf: () => createLeftovers({ ...boot, toolContainers: null, halves: { control: '/c', runner: own } }, log),
    removeOf: async (id: string) => removed.push(id) - removed.length + 1,
  }
}

test('what this unit and ended units of its installation left is removed, with their runtime directories', async (t) => {
  const { add, open, removeOf, removed } = await openBase(t)
  const [ended, stranger] = [await add('ended', 'one'), await add('stranger', 'two')]
  assert.equal(await open().remove('sandboxes', removeOf), 4)
  assert.deepEqual(removed, ['own-id', 'former-id', 'ended-id', 'ended-former'])
  assert.deepEqual([existsSync(ended), existsSync(stranger)], [false, true])
})

test('what a running unit owns is left alone, and the log names its state directory', async (t) => {
  const { add, open, removeOf, removed, lines } = await openBase(t)
  const running = await add('running', 'one')
  const lock = await takeLock(join(running, unitLockName), { create: false })
  t.after(() => lock?.release())
  await open().remove('sandboxes', removeOf)
  assert.deepEqual(removed, ['own-id', 'former-id'])
  assert.ok(existsSync(running))
  assert.match(lines.join('\n'), /another unit with the same installation id is running; it is left alone.*\/state\/running/)
})

test('a unit of which nobody can tell whether it runs is left alone', async (t) => {
  const { add, open, removeOf, removed, lines } = await openBase(t)
  const [swept, unread] = [await add('swept', 'one'), await add('unread', 'one')]
  await rm(join(swept, unitLockName))
  await writeFile(join(unread, 'unit.json'), '{')
  await open().remove('sandboxes', removeOf)
  assert.deepEqual(removed, ['own-id', 'former-id'])
  assert.deepEqual([existsSync(swept), existsSync(unread), existsSync(join(swept, unitLockName))], [true, true, false])
  assert.match(lines.join('\n'), /cannot tell whether a unit with the same installation id is running/)
})

test('its runtime directory stays until sandboxes and tool containers are removed, also when both are at the same time', async (t) => {
  const { add, open, removeOf, removed } = await openBase(t)
  const ended = await add('ended', 'one')
  const leftovers = open(place)
  await leftovers.remove('tool-containers', removeOf)
  assert.ok(existsSync(ended))
  await leftovers.remove('sandboxes', removeOf)
  assert.ok(!existsSync(ended))

  const other = await add('other', 'one')
  const both = open(place)
  const kinds: readonly Kind[] = ['sandboxes', 'tool-containers']
  await Promise.all(kinds.map((kind) => both.remove(kind, removeOf)))
  assert.equal(removed.filter((id) => id === 'other-id').length, 2)
  assert.ok(!existsSync(other))
})

test('what an ended unit left and cannot be removed keeps this unit from nothing; its own does', async (t) => {
  const { add, open, lines } = await openBase(t)
  const ended = await add('ended', 'one')
  const failing = (which: string) => async (id: string) => {
    if (id === which) throw new Error('the engine refuses')
    return 1
  }
  assert.equal(await open().remove('sandboxes', failing('ended-id')), 2)
  assert.ok(existsSync(ended))
  assert.match(lines.join('\n'), /could not be removed/)
  await assert.rejects(open().remove('sandboxes', failing('own-id')), /the engine refuses/)
})

test('the half of a split unit looks at no directory beside its own', async (t) => {
  const { add, openHalf, removeOf, removed } = await openBase(t)
  const ended = await add('ended', 'one')
  await openHalf().remove('sandboxes', removeOf)
  assert.deepEqual(removed, ['own-id', 'former-id'])
  assert.ok(existsSync(ended))
})
