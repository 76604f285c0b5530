// Which tests `pnpm test` runs for a pattern and for a change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checks } from '../src/checks.ts'
import { readFlags } from '../src/flags.ts'
import { affectedFolders } from '../src/select-tests.ts'

const packages = [
  { folder: 'packages/a', name: '@gatehouse/a', dependencies: [] },
  { folder: 'packages/b', name: '@gatehouse/b', dependencies: ['@gatehouse/a'] },
  { folder: 'apps/c', name: '@gatehouse/c', dependencies: ['@gatehouse/b'] },
  { folder: 'apps/d', name: '@gatehouse/d', dependencies: [] },
]

test('a change affects its package and all that depend on it', () => {
  assert.deepEqual([...affectedFolders(packages, ['packages/a/src/x.ts'])].toSorted(), ['apps/c', 'packages/a', 'packages/b'])
  assert.deepEqual([...affectedFolders(packages, ['apps/c/test/x.test.ts'])], ['apps/c'])
})

test('a change outside of packages affects none of them', () => {
  assert.deepEqual([...affectedFolders(packages, ['docs/README.md', 'packages/ab/src/x.ts'])], [])
})

test('patterns and --changed run the build and the selected tests only', () => {
  const { chosen, selection } = readFlags(['gateway/test/changes', 'broker'], checks)
  assert.deepEqual(
    chosen.map(({ name }) => name),
    ['build', 'tests'],
  )
  assert.deepEqual(selection, { patterns: ['gateway/test/changes', 'broker'], changed: false })
  assert.equal(readFlags(['--changed'], checks).selection.changed, true)
})
