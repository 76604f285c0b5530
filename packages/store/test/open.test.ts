import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { exits, isServiceError } from '@gatehouse/contracts'
import { isRefusal } from '@gatehouse/kernel'
import { start } from '@gatehouse/testkit/program'
import { openStore, type StoreOptions } from '../src/index.ts'
import { add, newKey, newOptions, openFor, texts } from './state.ts'

const contentOf = (directory: string): Map<string, string> =>
  new Map(
    readdirSync(directory)
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => [name, readFileSync(`${directory}/${name}`, 'base64')]),
  )

/** Refused with the words that an operator needs, and every byte in the directory as before. */
const assertRefused = async (options: StoreOptions, words: RegExp): Promise<void> => {
  const before = contentOf(dirname(options.path))
  await assert.rejects(openStore(options), (error) => {
    assert.ok(isRefusal(error), String(error))
    assert.equal(error.exit, exits.configuration)
    assert.match(error.detail, words)
    assert.ok(error.hint)
    return true
  })
  assert.deepEqual(contentOf(dirname(options.path)), before)
}

describe('opening a store', () => {
  test('keeps what was written for the next opening', async (t) => {
    const options = newOptions(t)
    const store = await openStore(options)
    await add(store, 'one')
    await store.close()
    assert.deepEqual(await texts(await openFor(t, options)), ['one'])
  })

  test('makes every file for its owner alone, whatever the umask', async (t) => {
    const umask = process.umask(0)
    t.after(() => process.umask(umask))
    const options = newOptions(t)
    await add(await openFor(t, options), 'one')
    const files = readdirSync(dirname(options.path))
    assert.deepEqual(files.toSorted(), ['notes.db', 'notes.db-shm', 'notes.db-wal'])
    for (const name of files) assert.equal(statSync(`${dirname(options.path)}/${name}`).mode & 0o777, 0o600, name)
  })

  test('leaves no plain text in any file', async (t) => {
    const options = newOptions(t)
    const store = await openFor(t, options)
    await add(store, 'canary-in-the-coal-mine')
    const plain = /canary|CREATE TABLE|SQLite format/
    for (const [name, content] of contentOf(dirname(options.path)))
      assert.doesNotMatch(Buffer.from(content, 'base64').toString('latin1'), plain, name)
    await store.close()
    assert.doesNotMatch(readFileSync(options.path, 'latin1'), plain)
  })

  test('runs with full durability and no trust in the schema', async (t) => {
    const store = await openFor(t, newOptions(t))
    const settings = await store.write((tx) =>
      tx.get(`SELECT (SELECT synchronous FROM pragma_synchronous) AS synchronous, (SELECT journal_mode FROM pragma_journal_mode) AS journal,
        (SELECT foreign_keys FROM pragma_foreign_keys) AS keys, (SELECT trusted_schema FROM pragma_trusted_schema) AS trusted`),
    )
    assert.deepEqual(settings, { synchronous: 2, journal: 'wal', keys: 1, trusted: 0 })
  })

  test('refuses a wrong key', async (t) => {
    const options = newOptions(t)
    const store = await openStore(options)
    await add(store, 'one')
    await store.close()
    await assertRefused({ ...options, key: newKey() }, /expected a database encrypted with this installation's master key/)
    assert.deepEqual(await texts(await openFor(t, options)), ['one'])
  })

  test('refuses a wrong key after a crash and leaves the write-ahead log alone', async (t) => {
    const options = newOptions(t)
    const program = start(t, join(import.meta.dirname, 'fixtures', 'notebook.ts'), { args: [options.path, options.key] })
    assert.equal(await program.line(), 'ready')
    assert.equal(await program.ask('add one'), 'ok')
    await program.kill()
    assert.ok(statSync(`${options.path}-wal`).size > 0)
    await assertRefused({ ...options, key: newKey() }, /got another key/)
    assert.deepEqual(await texts(await openFor(t, options)), ['one'])
  })

  test('opens with a first page that a power cut has torn, if the write-ahead log has it whole', async (t) => {
    const options = newOptions(t)
    const program = start(t, join(import.meta.dirname, 'fixtures', 'notebook.ts'), { args: [options.path, options.key] })
    await program.line()
    await program.ask('add one')
    await program.kill()
    const content = readFileSync(options.path)
    writeFileSync(options.path, content.fill(0, 512, 4096))
    assert.deepEqual(await texts(await openFor(t, options)), ['one'])
  })

  test('refuses a plain SQLite database', async (t) => {
    const options = newOptions(t)
    const plain = new DatabaseSync(options.path)
    plain.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)')
    plain.close()
    await assertRefused(options, /another kind of file/)
  })

  test('refuses an empty file in place of a database', async (t) => {
    const options = newOptions(t)
    writeFileSync(options.path, '')
    await assertRefused(options, /got an empty file/)
  })

  test('refuses to begin anew where a write-ahead log says that there was a database', async (t) => {
    const options = newOptions(t)
    const program = start(t, join(import.meta.dirname, 'fixtures', 'notebook.ts'), { args: [options.path, options.key] })
    await program.line()
    await program.ask('add one')
    await program.kill()
    rmSync(options.path)
    await assertRefused(options, /found no file/)
  })

  test('makes the database although an earlier attempt died half-way', async (t) => {
    const options = newOptions(t)
    writeFileSync(`${options.path}.new`, 'half a database')
    await add(await openFor(t, options), 'one')
    assert.ok(!readdirSync(dirname(options.path)).includes('notes.db.new'))
  })

  test('a closed store answers unavailable and closes twice', async (t) => {
    const store = await openStore(newOptions(t))
    await store.close()
    await store.close()
    for (const act of [add(store, 'one'), texts(store)]) {
      await assert.rejects(act, (error) => isServiceError(error) && error.code === 'unavailable')
    }
  })
})
