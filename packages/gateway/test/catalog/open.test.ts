// The catalog file: made private, read at start, refused with the field or the command that helps.
import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isRefusal } from '@gatehouse/kernel'
import { openCatalog } from '../../src/catalog/file.ts'
import { createSecrets } from '../../src/secrets.ts'
import type { Catalog } from '../../src/state/catalog.ts'
import { server } from '../fixtures/tools.ts'
import { newDirectory, removeDirectory } from '../fixtures/unit.ts'

const secrets = createSecrets('3'.repeat(64))
let dir: string
before(async () => {
  dir = await newDirectory()
})
after(() => removeDirectory(dir))

const refusal = async (path: string): Promise<{ exit: number; detail: string; hint: string | undefined }> => {
  try {
    await openCatalog({ path, initial: {}, secrets })
  } catch (error) {
    if (isRefusal(error)) return error
    throw error
  }
  throw new Error('expected a refusal')
}

const file = async (name: string, text: string, mode = 0o600): Promise<string> => {
  const path = join(dir, name)
  await writeFile(path, text)
  await chmod(path, mode)
  return path
}

const namesOf = (catalog: Catalog): string[] => catalog.items().map(({ name }) => name)

test('is made as {} with mode 0600', async () => {
  const path = join(dir, 'new.json')
  const catalog = await openCatalog({ path, initial: {}, secrets })
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), {})
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(catalog.items(), [])
})

test('a new one holds what the mode puts into it, an old one is left as it is', async () => {
  const path = join(dir, 'sample.json')
  const initial = { sample: { transport: 'stdio' as const, command: 'node', args: ['sample.js'], env: {} } }
  assert.deepEqual(namesOf(await openCatalog({ path, initial, secrets })), ['sample'])
  await writeFile(path, '{}')
  assert.deepEqual(namesOf(await openCatalog({ path, initial, secrets })), [])
})

test('a wider mode is refused with the chmod to run', async () => {
  for (const mode of [0o644, 0o640, 0o601, 0o666]) {
    const path = await file('wide.json', '{}', mode)
    const { exit, hint } = await refusal(path)
    assert.equal(exit, 78)
    assert.ok(hint?.includes(`chmod 600 ${path}`), hint)
  }
})

test('a directory in its place is refused', async () => {
  await mkdir(join(dir, 'directory'))
  assert.equal((await refusal(join(dir, 'directory'))).exit, 78)
})

test('a directory that is not there is refused', async () => {
  assert.equal((await refusal(join(dir, 'absent', 'catalog.json'))).exit, 78)
})

const broken: readonly [what: string, text: string, pointer: string][] = [
  ['no JSON', '{"a": secret-text-here', 'JSON'],
  ['a list', '[]', '/'],
  ['an entry of no transport', '{"a":{"command":"x"}}', '/a/transport'],
  ['an unknown member', '{"a":{"transport":"stdio","command":"x","url":"https://x.example"}}', '/a/url'],
  ['a bad name', '{"A b":{"transport":"stdio","command":"x"}}', '/A b'],
  ['a variable that is no text', '{"a":{"transport":"stdio","command":"x","env":{"TOKEN":4711471147}}}', '/a/env/TOKEN'],
  ['a server that a record would lose', '{"constructor":{"transport":"stdio","command":"x"}}', '/constructor: expected a name other than'],
  [
    'a variable that a record would lose',
    '{"a":{"transport":"stdio","command":"x","env":{"__proto__":"x"}}}',
    '/a/env/__proto__: expected',
  ],
  [
    'a header that a record would lose',
    '{"a":{"transport":"http","url":"https://x.example","headers":{"prototype":"x"}}}',
    '/a/headers/prototype: expected',
  ],
  ['a url that may not be', '{"a":{"transport":"http","url":"http://tools.example"}}', '/a/url'],
  ['a reference in the command', '{"a":{"transport":"stdio","command":"${HOME}/x"}}', '/a/command'],
]

for (const [what, text, pointer] of broken) {
  test(`a file with ${what} is refused, names the field and repeats no value`, async () => {
    const { exit, detail } = await refusal(await file('broken.json', text))
    assert.equal(exit, 78)
    assert.ok(detail.includes(pointer), detail)
    assert.ok(!/secret-text-here|4711471147/.test(detail), detail)
  })
}

test('what cannot be written leaves the entries as they were', async () => {
  const path = join(dir, 'sub', 'catalog.json')
  await mkdir(join(dir, 'sub'))
  const catalog = await openCatalog({ path, initial: {}, secrets })
  await removeDirectory(join(dir, 'sub'))
  await assert.rejects(catalog.set(server('a'), { transport: 'http', url: 'https://a.example', headers: {} }), { code: 'unavailable' })
  assert.deepEqual(catalog.items(), [])
})
