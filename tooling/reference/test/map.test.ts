// The map of the repository names every folder that there is, and none that there is not.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../..')

test('the map in CONTRIBUTING has each package, app and tool once', () => {
  const [, map = ''] = /## The map\n(.*?)\n## /s.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? []
  const named = [...map.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path)
  const there = globSync('{packages,apps,tooling}/*/package.json', { cwd: root }).map(dirname)
  assert.deepEqual(named.toSorted(), there.toSorted())
})

test('every folder that its table of tasks names is there', () => {
  const [, tasks = ''] = /## Where to go\n(.*?)\n## /s.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? []
  const paths = [...tasks.matchAll(/`((?:packages|apps|tooling)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  assert.ok(paths.length > 15)
  assert.deepEqual(
    paths.filter((path) => globSync(path, { cwd: root }).length === 0),
    [],
  )
})
