import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import type { Transaction } from '../src/index.ts'
import { add, newOptions, openFor, texts } from './state.ts'

describe('writing', () => {
  test('hides uncommitted rows from readers and shows them to the act itself', async (t) => {
    const store = await openFor(t, newOptions(t))
    await store.write(async (tx) => {
      await tx.run('INSERT INTO notes (text) VALUES (?)', ['one'])
      assert.deepEqual(await tx.get('SELECT text FROM notes'), { text: 'one' })
      assert.deepEqual(await texts(store), [])
    })
    assert.deepEqual(await texts(store), ['one'])
  })

  test('shows a committed row to every read that begins later', async (t) => {
    const store = await openFor(t, newOptions(t))
    for (let round = 0; round < 50; round += 1) {
      const readers = [texts(store), store.read.get('SELECT * FROM notes'), texts(store)]
      await add(store, `row ${round}`)
      assert.equal((await texts(store)).length, round + 1)
      await Promise.all(readers)
    }
  })

  test('rolls back when the act throws, and hands the error on', async (t) => {
    const store = await openFor(t, newOptions(t))
    const refusal = new Error('not like this')
    const act = store.write(async (tx) => {
      await tx.run('INSERT INTO notes (text) VALUES (?)', ['one'])
      throw refusal
    })
    await assert.rejects(act, refusal)
    assert.deepEqual(await texts(store), [])
    await add(store, 'two')
    assert.deepEqual(await texts(store), ['two'])
  })

  test('rolls back on a broken constraint, which keeps its own name', async (t) => {
    const store = await openFor(t, newOptions(t))
    await add(store, 'one')
    const act = store.write(async (tx) => {
      await tx.run('INSERT INTO notes (text) VALUES (?)', ['two'])
      await tx.run('INSERT INTO notes (text) VALUES (?)', ['one'])
    })
    await assert.rejects(act, { code: 'SQLITE_CONSTRAINT' })
    assert.deepEqual(await texts(store), ['one'])
  })

  test('goes on inside an act that catches a broken constraint', async (t) => {
    const store = await openFor(t, newOptions(t))
    await add(store, 'one')
    await store.write(async (tx) => {
      await assert.rejects(tx.run('INSERT INTO notes (text) VALUES (?)', ['one']), { code: 'SQLITE_CONSTRAINT' })
      await tx.run('INSERT INTO notes (text) VALUES (?)', ['two'])
    })
    assert.deepEqual(await texts(store), ['one', 'two'])
  })

  test('a constraint that fails at the commit rolls back and names itself', async (t) => {
    const options = newOptions(t)
    const child = 'CREATE TABLE child (id INTEGER PRIMARY KEY, note INTEGER REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED) STRICT'
    const store = await openFor(t, { ...options, migrations: [...options.migrations, [child]] })
    await assert.rejects(
      store.write((tx) => tx.run('INSERT INTO child (note) VALUES (7)')),
      { code: 'SQLITE_CONSTRAINT' },
    )
    assert.deepEqual(await store.read.all('SELECT * FROM child'), [])
    await add(store, 'one')
  })

  test('runs interleaved acts one after the other, in the order of the calls', async (t) => {
    const store = await openFor(t, newOptions(t))
    const seen: string[] = []
    const act = (name: string) => async (tx: Transaction) => {
      seen.push(`${name} begins`)
      await tx.run('INSERT INTO notes (text) VALUES (?)', [name])
      await setImmediate()
      const { count } = (await tx.get<{ count: number }>('SELECT count(*) AS count FROM notes')) ?? { count: 0 }
      seen.push(`${name} sees ${count}`)
    }
    await Promise.all(['a', 'b', 'c'].map((name) => store.write(act(name))))
    assert.deepEqual(seen, ['a begins', 'a sees 1', 'b begins', 'b sees 2', 'c begins', 'c sees 3'])
  })

  test('keeps the order of statements that an act does not await one by one', async (t) => {
    const store = await openFor(t, newOptions(t))
    const names = Array.from({ length: 200 }, (_, index) => `row ${index}`)
    await store.write((tx) => Promise.all(names.map((name) => tx.run('INSERT INTO notes (text) VALUES (?)', [name]))))
    assert.deepEqual(await texts(store), names)
  })

  test('takes no statement after the act has ended', async (t) => {
    const store = await openFor(t, newOptions(t))
    let kept: Transaction | undefined
    await store.write(async (tx) => {
      kept = tx
      await tx.run('INSERT INTO notes (text) VALUES (?)', ['one'])
    })
    await assert.rejects(kept!.run('DELETE FROM notes'), TypeError)
    assert.deepEqual(await texts(store), ['one'])
  })

  test('gives back what it was given: text, numbers, null and bytes', async (t) => {
    const options = newOptions(t)
    const store = await openFor(t, { ...options, migrations: [['CREATE TABLE v (t TEXT, i INTEGER, r REAL, n TEXT, b BLOB) STRICT']] })
    const row = { t: 'é😀 \u0001', i: Number.MAX_SAFE_INTEGER, r: 0.1, n: null, b: Buffer.from([0, 255, 10]) }
    await store.write((tx) => tx.run('INSERT INTO v VALUES (?, ?, ?, ?, ?)', Object.values(row)))
    assert.deepEqual(await store.read.get('SELECT * FROM v'), row)
  })

  test('survives more different statements than it keeps prepared', async (t) => {
    const store = await openFor(t, newOptions(t))
    for (let index = 0; index < 250; index += 1) {
      assert.deepEqual(await store.read.get(`SELECT ${index} AS value, count(*) AS notes FROM notes`), { value: index, notes: 0 })
    }
  })

  test('refuses to write through the reading connection', async (t) => {
    const store = await openFor(t, newOptions(t))
    await assert.rejects(
      store.read.all("INSERT INTO notes (text) VALUES ('one')"),
      (error) => isServiceError(error) && error.code === 'unavailable',
    )
    assert.deepEqual(await texts(store), [])
  })
})
