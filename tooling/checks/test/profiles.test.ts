// Each test file is in one profile: the default one or the rest, and both together are all.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { checks } from '../src/checks.ts'
import { readFlags } from '../src/flags.ts'
import { profileOf } from '../src/profile.ts'
import { profiles } from '../src/profiles.ts'
import { selectTests } from '../src/select-tests.ts'
import { testFiles } from '../src/sources.ts'
import { type Plant, plant } from './plant.ts'

const house = join(import.meta.dirname, '../../..')
const inRest = '// What it tests.\n// Profile: rest. Repeats what flow.test.ts shows.\nimport {} from "node:test"\n'
const inDefault = '// What it tests.\nimport {} from "node:test"\n'

const write = ({ root }: Plant, path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const selectFor = async (root: string, ...argv: string[]): Promise<string[]> => selectTests(root, readFlags(argv, checks).selection)

suite('the profiles of this tree', () => {
  test('hold every test file once', async () => {
    const [inTest, rest] = [await selectFor(house), await selectFor(house, '--rest')]
    assert.deepEqual([...inTest, ...rest].toSorted(), testFiles(house).toSorted())
    assert.ok(inTest.length > 0 && rest.length > 0)
  })

  test('leave no file out, nor hide one behind a marker that is none', async () => {
    assert.equal((await profiles.run({ root: house, full: false })).report, '')
  })
})

suite('a test file', () => {
  test('is in the default profile unless its head comment says that it is in the rest, and why', () => {
    assert.equal(profileOf(inRest), 'rest')
    assert.equal(profileOf(inDefault), 'default')
    assert.equal(profileOf(`import {} from "node:test"\n${inRest}`), 'default')
    assert.equal(profileOf('// Profile: rest.\n'), 'default')
  })

  test('runs by name, by change and in full whatever its profile is', async () => {
    using planted = plant()
    write(planted, 'packages/kernel/test/a.test.ts', inDefault)
    write(planted, 'packages/kernel/test/b.test.ts', inRest)
    const both = ['packages/kernel/test/a.test.ts', 'packages/kernel/test/b.test.ts']
    assert.deepEqual(await selectFor(planted.root), both.slice(0, 1))
    assert.deepEqual(await selectFor(planted.root, '--rest'), both.slice(1))
    assert.deepEqual(await selectFor(planted.root, '--full'), both)
    assert.deepEqual(await selectFor(planted.root, 'kernel/test'), both)
    assert.equal(readFlags(['--changed'], checks).selection.profile, undefined)
  })

  test('of the rest is found by a part of its path within the rest', async () => {
    using planted = plant()
    write(planted, 'packages/kernel/test/a.test.ts', inRest)
    write(planted, 'packages/kernel/test/b.test.ts', inRest)
    assert.deepEqual(await selectFor(planted.root, '--rest', 'b.test'), ['packages/kernel/test/b.test.ts'])
  })
})

suite('the check of the profiles', () => {
  const report = async (path: string, text: string): Promise<string> => {
    using planted = plant()
    write(planted, path, text)
    return (await profiles.run({ root: planted.root, full: false })).report
  }

  test('passes a file of each profile', async () => {
    assert.equal(await report('packages/kernel/test/a.test.ts', inDefault), '')
    assert.equal(await report('packages/kernel/test/a.test.ts', inRest), '')
  })

  test('finds a marker without a reason, of a profile that is none, or out of place', async () => {
    const found = /^packages\/kernel\/test\/a\.test\.ts:\d: this profile (is not understood|stands below the head comment); write "/
    for (const text of [
      '// Profile: rest.\n',
      '// Profile: rest. Slow.\n',
      '// Profile: slow. It takes far too long.\n',
      '//profile: rest. It takes far too long.\n',
      'import {} from "node:test"\n// Profile: rest. It takes far too long.\n',
    ])
      assert.match(await report('packages/kernel/test/a.test.ts', text), found)
  })

  test('finds a test that lies where no profile looks', async () => {
    for (const path of ['packages/kernel/src/a.test.ts', 'packages/kernel/test/a.test.mts', 'tooling/a.test.ts', 'apps/x/test/a.spec.ts'])
      assert.equal(await report(path, inDefault), `${path}: no profile runs it; a test is a file test/**/*.test.ts of its package`)
  })
})
