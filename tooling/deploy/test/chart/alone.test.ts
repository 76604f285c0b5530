// The folder of the chart, copied alone: everything that it needs lies in it.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { folder } from '../files.ts'
import { chart } from './helm.ts'

const entries = await readdir(chart, { recursive: true, withFileTypes: true })

test('no file of the chart is a link, since a copy of the folder would not have what it leads to', () => {
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ parentPath, name }) => relative(chart, join(parentPath, name)))
  assert.deepEqual(links, [])
})

for (const name of ['dashboard.json', 'rules.yml'])
  test(`${name} is that of deploy/observability, byte for byte`, async () => {
    const [own, kept] = await Promise.all([readFile(join(chart, 'files', name)), readFile(join(folder, name))])
    assert.ok(own.equals(kept), `run: cp deploy/observability/${name} charts/gatehouse/files/${name}`)
  })

test('tool servers are off until somebody turns them on', async () => {
  const { catalog } = parse(await readFile(join(chart, 'values.yaml'), 'utf8')) as Record<string, unknown>
  assert.equal(catalog, false)
  const platforms = join(chart, '../../deploy/platforms')
  for (const name of await readdir(platforms)) assert.doesNotMatch(await readFile(join(platforms, name), 'utf8'), /MCP_CATALOG/, name)
})
