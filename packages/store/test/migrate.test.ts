import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exits } from '@gatehouse/contracts'
import { isRefusal } from '@gatehouse/kernel'
import { openStore } from '../src/index.ts'
import { add, newOptions, notes, openFor, texts } from './state.ts'

const second = ['ALTER TABLE notes ADD COLUMN tag TEXT', "UPDATE notes SET tag = 'old'"]

describe('migrations', () => {
  test('take each step once, over the rows that are there', async (t) => {
    const options = newOptions(t)
    const first = await openStore(options)
    await add(first, 'one')
    await first.close()
    for (const round of [1, 2]) {
      const store = await openStore({ ...options, migrations: [...notes, second] })
      assert.deepEqual(await store.read.all('SELECT text, tag FROM notes'), [{ text: 'one', tag: 'old' }], `round ${round}`)
      await store.close()
    }
  })

  test('leave nothing of a step that fails', async (t) => {
    const options = newOptions(t)
    const first = await openStore(options)
    await add(first, 'one')
    await first.close()
    await assert.rejects(openStore({ ...options, migrations: [...notes, [...second, 'INSERT INTO nowhere VALUES (1)']] }), /nowhere/)
    const store = await openFor(t, options)
    assert.deepEqual(await store.read.all('SELECT * FROM notes'), [{ id: 1, text: 'one' }])
  })

  test('refuse a database of a newer release and leave it as it is', async (t) => {
    const options = newOptions(t)
    const newer = { ...options, migrations: [...notes, second] }
    await (await openStore(newer)).close()
    await assert.rejects(openStore(options), (error) => {
      assert.ok(isRefusal(error))
      assert.equal(error.exit, exits.configuration)
      assert.match(error.detail, /expected schema 1 or older, got 2/)
      return true
    })
    assert.deepEqual(await texts(await openFor(t, newer)), [])
  })
})
