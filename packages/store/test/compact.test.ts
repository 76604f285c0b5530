// Room of removed rows goes back to the disk, encrypted all the while, and nothing else of the store changes.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { add, newOptions, openFor, texts } from './state.ts'

const MiB = 1024 * 1024
const table = ['CREATE TABLE blobs (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT']

const sizeOf = (path: string): number =>
  readdirSync(dirname(path)).reduce((sum, name) => sum + statSync(`${dirname(path)}/${name}`).size, 0)

test('what was removed gives its room back; what is kept is there, and readable by its key alone', async (t) => {
  const options = newOptions(t)
  const store = await openFor(t, { ...options, migrations: [...options.migrations, table] })
  await add(store, 'a word that stays')
  await store.write(async (tx) => {
    for (let id = 0; id < 6; id += 1) await tx.run('INSERT INTO blobs (data) VALUES (?)', [randomBytes(MiB)])
  })
  assert.ok(sizeOf(options.path) > 6 * MiB)
  await store.write((tx) => tx.run('DELETE FROM blobs WHERE id > 1'))
  // A reader may be at it.
  await Promise.all([store.compact(), texts(store), add(store, 'meanwhile')])
  await store.compact()
  assert.ok(sizeOf(options.path) < 2 * MiB, String(sizeOf(options.path)))
  assert.deepEqual(await texts(store), ['a word that stays', 'meanwhile'])
  assert.equal((await store.read.get<{ bytes: number }>('SELECT length(data) AS bytes FROM blobs'))?.bytes, MiB)
  for (const name of readdirSync(dirname(options.path)))
    assert.ok(!readFileSync(`${dirname(options.path)}/${name}`).includes('a word that stays'), name)
})

test('a store with little to give back is left as it is', async (t) => {
  const options = newOptions(t)
  const store = await openFor(t, { ...options, migrations: [...options.migrations, table] })
  await store.write(async (tx) => {
    for (let id = 0; id < 8; id += 1) await tx.run('INSERT INTO blobs (data) VALUES (?)', [randomBytes(MiB)])
  })
  await store.write((tx) => tx.run('DELETE FROM blobs WHERE id > 5'))
  await store.compact()
  assert.ok(statSync(options.path).size > 8 * MiB)
})
