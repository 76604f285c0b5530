// Files of the console: under the strict policy, from memory, and nothing else from this machine.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConsole } from '../../src/console/assets.ts'
import { createTestUnit } from '../fixtures/unit.ts'

const anonymous = { headers: { authorization: null } }
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"

test('serves the console without a token under the strict policy', async () => {
  const { ask, calls } = createTestUnit()
  const answer = await ask('GET', '/ui/', anonymous)
  assert.equal(answer.status, 200)
  assert.match(answer.text, /Gatehouse/)
  assert.equal(answer.headers.get('content-security-policy'), policy)
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin')
  assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(answer.headers.get('strict-transport-security'), null)
  assert.deepEqual(calls, [])
})

test('lets browsers keep what is named by its content for ever, and nothing else', async () => {
  const { ask } = createTestUnit()
  assert.equal(
    (await ask('GET', '/ui/assets/index-Ab3_x9Z0.js', anonymous)).headers.get('cache-control'),
    'public, max-age=31536000, immutable',
  )
  assert.equal((await ask('GET', '/ui/icon.svg', anonymous)).headers.get('cache-control'), 'no-cache')
  assert.equal((await ask('GET', '/ui/index.html', anonymous)).headers.get('cache-control'), 'no-store')
})

test('answers pages that the console draws with index.html, and missing files with 404', async () => {
  const { ask } = createTestUnit()
  for (const path of ['/ui/approvals', '/ui/changes/chg_20260102030405.000000000', '/ui/a/b/'])
    assert.match((await ask('GET', path, anonymous)).text, /Gatehouse/)
  for (const path of ['/ui/missing.js', '/ui/assets/none.css', '/ui/favicon.ico', '/ui/.env', '/ui/changes/chg_1.env']) {
    const answer = await ask('GET', path, anonymous)
    assert.equal(answer.status, 404, path)
    assert.equal(answer.headers.get('content-type'), 'application/problem+json')
  }
})

test('leads the bare address to the console', async () => {
  const { ask } = createTestUnit()
  for (const path of ['/', '/ui']) {
    const answer = await ask('GET', path, anonymous)
    assert.equal(answer.status, 302)
    assert.equal(answer.headers.get('location'), '/ui/')
  }
})

test('refuses paths that climb', async () => {
  const { ask } = createTestUnit()
  const climbing = [
    '..%2fetc%2fpasswd',
    '..%2f..%2fetc/passwd',
    'assets/..%2f..%2f..%2fetc',
    '%2e%2e%2fx',
    '%5c..%5cx',
    'a%00b',
    '%252e%252e/x',
    '.%2f.%2fx',
    'a/%2e%2e%2fb.js',
  ]
  for (const path of climbing) {
    const answer = await ask('GET', `/ui/${path}`, anonymous)
    assert.equal(answer.status, 400, path)
  }
  for (const path of ['/ui/../v1/status', '/ui/%2e%2e/v1/status', '/ui/x/../../metrics'])
    assert.equal((await ask('GET', path, anonymous)).status, 401, path)
})

test('says what is missing where the console is not built', async () => {
  const { ask } = createTestUnit({ console: new Map() })
  const answer = await ask('GET', '/ui/', anonymous)
  assert.equal(answer.status, 404)
  assert.match(String(answer.json().hint), /without a built console/)
})

test('reads plain files of known types alone, and none where there is no directory', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'console-'))
  t.after(() => rm(directory, { recursive: true }))
  await mkdir(join(directory, 'assets'))
  for (const name of ['index.html', 'assets/index-Ab3_x9Z0.js', 'assets/index-Ab3_x9Z0.js.map', 'notes', 'key.pem'])
    await writeFile(join(directory, name), name)
  await symlink('/etc/hostname', join(directory, 'assets/link.txt'))
  const files = await loadConsole(directory)
  assert.deepEqual([...files.keys()].toSorted(), ['assets/index-Ab3_x9Z0.js', 'index.html'])
  assert.equal(files.get('assets/index-Ab3_x9Z0.js')?.cache, 'public, max-age=31536000, immutable')
  assert.equal((await loadConsole(join(directory, 'absent'))).size, 0)
})
