// What may be packed, which of its programs is the server, and what an entry lends.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { toEntry } from '../../src/catalog/entry.ts'
import { findProgram, parseSpec } from '../../src/packing/pack.ts'

test('a package is named by the registry, its name and one exact version', () => {
  assert.deepEqual(parseSpec('npm:@scope/server@1.2.3'), { name: '@scope/server', version: '1.2.3', spec: '@scope/server@1.2.3' })
  assert.equal(parseSpec('npm:server@2026.1.26-rc.1').version, '2026.1.26-rc.1')
})

for (const text of [
  'server@1.2.3',
  'npm:server',
  'npm:server@^1.2.3',
  'npm:server@latest',
  'npm:../x@1.2.3',
  'npm:server@npm:other@1.2.3',
  'git:x@1.2.3',
])
  test(`refuses ${text} and says what is expected`, () => {
    assert.throws(() => parseSpec(text), { code: 'invalid', detail: /npm:<name>@<exact version>/ })
  })

const packaged = async (t: TestContext, manifest: object): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), 'svcctl-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest))
  return home
}

test('takes the only program, that of the package, or the one that was chosen', async (t) => {
  assert.equal(await findProgram(await packaged(t, { bin: './dist/a.js' }), '@scope/server', undefined), 'dist/a.js')
  const both = await packaged(t, { bin: { server: 'one.js', other: 'two.js' } })
  assert.equal(await findProgram(both, '@scope/server', undefined), 'one.js')
  assert.equal(await findProgram(both, '@scope/server', 'other'), 'two.js')
  assert.equal(await findProgram(await packaged(t, { bin: { any: 'x.js' } }), 'server', undefined), 'x.js')
})

test('names the programs of a package where it cannot choose, and refuses one that lies elsewhere', async (t) => {
  await assert.rejects(findProgram(await packaged(t, { bin: { a: 'a.js', b: 'b.js' } }), 'server', undefined), {
    code: 'invalid',
    detail: /a, b/,
  })
  await assert.rejects(findProgram(await packaged(t, {}), 'server', undefined), { detail: /has none/ })
  await assert.rejects(findProgram(await packaged(t, { bin: '../../etc/x.js' }), 'server', undefined), { code: 'invalid' })
})

test('a volume is a source, a target and perhaps a mode; it and data are for a local server', () => {
  const entry = toEntry({ command: '/bin/node', volume: ['/srv/a:/a', '/srv/b:/b:rw'], data: true })
  assert.deepEqual(entry, {
    transport: 'stdio',
    command: '/bin/node',
    args: [],
    env: {},
    volumes: [
      { source: '/srv/a', target: '/a', mode: 'ro' },
      { source: '/srv/b', target: '/b', mode: 'rw' },
    ],
    data: true,
  })
  assert.throws(() => toEntry({ command: 'x', volume: ['/srv/a'] }), { code: 'invalid' })
  assert.throws(() => toEntry({ command: 'x', volume: ['/a:/b:rx'] }), { code: 'invalid' })
  assert.throws(() => toEntry({ url: 'https://a.example', data: true }), { detail: /--data together with --command/ })
})
