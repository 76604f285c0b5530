// The master key: minted once, never minted over existing state.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { isRefusal } from '@gatehouse/kernel'
import { loadSubkeys } from '../../src/keys/keyring.ts'

const directory = async (t: TestContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-keyring-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

test('a new installation mints its key, 0600, and finds the same subkeys again', async (t) => {
  const dir = await directory(t)
  const first = await loadSubkeys(dir, null)
  assert.equal((await stat(join(dir, 'keyring.json'))).mode & 0o777, 0o600)
  assert.deepEqual(await loadSubkeys(dir, null), first)
  assert.equal(new Set([first.database, first.journal, first.secrets, first.queues]).size, 4)
  assert.deepEqual([first.epoch, first.formerSecrets], [1, []])
})

test('a missing keyring beside a database is refused, and nothing is made', async (t) => {
  const dir = await directory(t)
  await writeFile(join(dir, 'gateway.db'), 'something')
  await assert.rejects(loadSubkeys(dir, null), (error) => isRefusal(error) && error.exit === 78 && error.detail.includes('keyring'))
  assert.deepEqual(await readdir(dir), ['gateway.db'])
})

test('a master key kept elsewhere is read, and its absence refused', async (t) => {
  const dir = await directory(t)
  const external = join(dir, 'master.key')
  await assert.rejects(loadSubkeys(dir, external), (error) => isRefusal(error) && error.exit === 78)
  await writeFile(external, 'ab'.repeat(32), { mode: 0o600 })
  assert.match((await loadSubkeys(dir, external)).database, /^[0-9a-f]{64}$/)
  assert.deepEqual(await readdir(dir), ['master.key'])
})

test('a keyring that is damaged is refused', async (t) => {
  const dir = await directory(t)
  await writeFile(join(dir, 'keyring.json'), '{"epochs":[]}')
  await assert.rejects(loadSubkeys(dir, null), (error) => isRefusal(error) && error.exit === 78)
})
