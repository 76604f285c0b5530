// Packages of npm from the wish to the script that imports them, in real walls, from a registry on loopback.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, afterEach, before, describe, it, mock } from 'node:test'
import type { PackageName, TreeSighting } from '@gatehouse/contracts'
import { silentLogger, waitFor } from '@gatehouse/kernel'
import { lockDigest } from '@gatehouse/npm-tree'
import { type FixtureRegistry, type Published, startRegistry } from '@gatehouse/testkit/npm-registry'
import { createPackageEvidence } from '../../src/packages/evidence.ts'
import { lacking, openSealed } from '../fixtures/sealed.ts'
import type { Unit } from '../fixtures/unit.ts'

const isOdd: Published = {
  name: 'is-odd',
  version: '3.0.1',
  manifest: { type: 'module', exports: './index.js' },
  files: [{ path: 'index.js', text: 'export default (n) => n % 2 === 1\n' }],
}
const isEven: Published = {
  name: 'is-even',
  version: '1.0.0',
  manifest: { type: 'module', exports: './index.js', dependencies: { 'is-odd': '^3.0.0' } },
  files: [{ path: 'index.js', text: `import isOdd from 'is-odd'\nexport default (n) => !isOdd(n)\n` }],
}
const names = ['is-even@1.0.0'] as PackageName[]
const deadline = 45_000

const resolve = async (unit: Unit, asked = names): Promise<TreeSighting> => {
  unit.gateway.emit('packages-wanted', { names: asked })
  return waitFor(() => unit.gateway.trees.shift(), { what: 'a tree', deadline })
}

let known: TreeSighting | undefined

/** As an approval leaves it behind; the tree was resolved by the first who asked. */
const approve = async (unit: Unit): Promise<string> => {
  known ??= await resolve(unit)
  const seen = known
  assert.ok('lock' in seen, JSON.stringify(seen))
  const tree = lockDigest(seen.lock)
  unit.gateway.lock = { tree, lock: seen.lock }
  unit.gateway.group.packages = { npm: names, tree, changeID: unit.gateway.changeID }
  unit.gateway.group.tools = [...unit.gateway.group.tools, 'run_script']
  return tree
}

const change = (unit: Unit): void =>
  unit.gateway.emit('group-changed', { agentGroupID: unit.gateway.group.id, changeID: unit.gateway.changeID, narrowing: false })

const script = (code: string, more: object = {}): string => `tool:run_script ${JSON.stringify({ code, ...more })}`

const stored = async (unit: Unit): Promise<string[]> => readdir(`${unit.stateDir}/packages`)

it('packages that are asked for again while they are being resolved are resolved and told once, or again where that fails', async () => {
  const walls = Promise.withResolvers<never>()
  const told: TreeSighting[] = []
  const engaged = mock.fn(() => walls.promise)
  const resolved = mock.fn(async (tree: TreeSighting) => (told.push(tree), {}))
  const tell = createPackageEvidence({ posture: { engaged }, gateway: { resolved }, log: silentLogger } as never)
  const both = [tell(names), tell(names)]
  walls.reject(new Error('there are none'))
  await Promise.all(both)
  assert.deepEqual([told.length, engaged.mock.callCount()], [1, 1])
  await tell(names)
  assert.deepEqual([told.length, engaged.mock.callCount()], [2, 2])
  resolved.mock.mockImplementationOnce(() => Promise.reject(new Error('the connection ended')))
  await tell(names)
  assert.deepEqual([told.length, engaged.mock.callCount()], [3, 3])
})

describe('packages', { skip: lacking }, () => {
  let registry: FixtureRegistry
  before(async () => {
    registry = await startRegistry([isOdd, isEven])
  })
  afterEach(() => {
    for (const one of [isOdd, isEven]) registry.publish(one)
  })
  after(() => registry.close())

  it('that were approved work in a script, and nothing else of the registry is there', async (t) => {
    const unit = await openSealed(t, { registry: registry.url })
    const tree = await approve(unit)
    assert.deepEqual(
      unit.gateway.lock?.lock.packages.map(({ name }) => name),
      ['is-even', 'is-odd'],
    )
    const code = `import isEven from 'is-even'; console.log(isEven(4)); console.error('said'); process.exitCode = 3`
    assert.deepEqual(JSON.parse(await unit.chat(script(code))), { stdout: 'true\n', stderr: 'said\n', exitCode: 3 })
    assert.match(await unit.chat(script(`import 'left-pad'`)), /Cannot find package/)
    assert.match(await unit.chat(script(`(await import('node:fs')).writeFileSync('/packages/x', '')`)), /EROFS|EACCES/)
    assert.match(await unit.chat(script(`for (;;);`, { timeoutMs: 50 })), /ran longer than 50 ms.*"exitCode":null/)
    assert.deepEqual(await stored(unit), [tree])
  })

  it('are fetched when they are applied where nothing runs, and told ready', async (t) => {
    const unit = await openSealed(t, { registry: registry.url, times: { idle: 1 } })
    await unit.chat('hello')
    await unit.inState('idle')
    const tree = await approve(unit)
    change(unit)
    const told = await waitFor(() => unit.gateway.conditions.at(-1), { what: 'a condition', deadline })
    assert.equal(told.status, 'ready', told.reason)
    assert.deepEqual(await stored(unit), [tree])
  })

  it('that no group has any more are removed', async (t) => {
    const unit = await openSealed(t, { registry: registry.url })
    await approve(unit)
    await unit.chat('hello')
    delete unit.gateway.group.packages
    unit.gateway.lock = undefined
    change(unit)
    await waitFor(async () => (await unit.session())?.launches === 2, { what: 'another launch', deadline })
    change(unit)
    await waitFor(async () => (await stored(unit)).length === 0, { what: 'no tree', deadline })
  })

  it('whose tarball was exchanged since the approval are refused, and no agent begins without them', async (t) => {
    const unit = await openSealed(t, { registry: registry.url })
    await approve(unit)
    registry.publish({ ...isOdd, files: [{ path: 'index.js', text: 'throw new Error("exchanged")' }] })
    await unit.send('hello')
    const parked = await waitFor(async () => (await unit.session())?.state === 'parked' && (await unit.session()), {
      what: 'parked',
      deadline,
    })
    assert.match(parked.lastExit ?? '', /its packages cannot be had: is-odd@3\.0\.1/)
    assert.equal(parked.waiting, 1)
    assert.deepEqual(await stored(unit), [])
    registry.publish(isOdd)
    await unit.resume(parked.id)
    await waitFor(async () => (await unit.texts()).includes('echo: hello'), { what: 'an answer', deadline })
  })

  it('from git, with a wrong digest or out of reach are refused with the reason', async (t) => {
    const unit = await openSealed(t, { registry: registry.url })
    registry.publish({ ...isEven, manifest: { dependencies: { 'is-odd': 'git+https://example.org/x.git' } } })
    const git = await resolve(unit)
    assert.equal('refused' in git && git.refused.rule, 'not-from-registry')
    registry.publish({ ...isEven, integrity: `sha512-${Buffer.alloc(64, 1).toString('base64')}` })
    const wrong = await resolve(unit)
    assert.equal('refused' in wrong && wrong.refused.rule, 'wrong-integrity')
    const none = await resolve(unit, ['nothing@1.0.0'] as PackageName[])
    assert.equal('refused' in none && none.refused.rule, 'not-found')
    assert.deepEqual(await stored(unit), [])
    assert.deepEqual(await readdir(`${unit.runDir}/way`), [])
  })

  it('that need a script are seen with it', async (t) => {
    const unit = await openSealed(t, { registry: registry.url })
    registry.publish({ ...isOdd, manifest: { ...isOdd.manifest, scripts: { postinstall: 'node evil.js' } } })
    const seen = await resolve(unit)
    assert.deepEqual('lock' in seen && seen.lock.packages.map(({ scripts }) => scripts), [[], ['postinstall']])
  })

  it('are resolved with nothing but the registry in reach', async (t) => {
    const asked = [...registry.asked]
    const unit = await openSealed(t, { registry: 'http://127.0.0.1:9/', times: { tree: 30_000 } })
    const seen = await resolve(unit)
    assert.equal('refused' in seen && seen.refused.rule, 'unreachable', JSON.stringify(seen))
    assert.deepEqual(asked, registry.asked)
  })
})
