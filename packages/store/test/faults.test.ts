import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { failSyncs, limitFiles, noLimiter, noTracer, type Program, start } from '@gatehouse/testkit/program'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { openStore, type Store, type StoreOptions } from '../src/index.ts'
import { add, newKey, newOptions, notes, openFor, texts } from './state.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'

interface Notebook {
  readonly program: Program
  readonly options: StoreOptions
  readonly list: () => Promise<string[]>
}

const startNotebook = async (t: TestContext): Promise<Notebook> => {
  const options = newOptions(t)
  const program = start(t, join(import.meta.dirname, 'fixtures', 'notebook.ts'), { args: [options.path, options.key] })
  assert.equal(await program.line(), 'ready')
  return { program, options, list: async () => JSON.parse(await program.ask('list')) as string[] }
}

const openOn = async (directory: string): Promise<Store & AsyncDisposable> => {
  const store = await openStore({ path: join(directory, 'notes.db'), key: newKey(), migrations: notes })
  return { ...store, [Symbol.asyncDispose]: () => store.close() }
}

const isUnavailable = (error: unknown): boolean => isServiceError(error) && error.code === 'unavailable' && error.hint !== undefined

describe('faults of the disk', () => {
  test('a full disk refuses the act, keeps the rest and passes by itself', { skip: noSmallDisk }, () =>
    onSmallDisk('512k', async (directory) => {
      await using store = await openOn(directory)
      const acknowledged: string[] = []
      const filler = join(directory, 'filler')
      writeFileSync(filler, Buffer.alloc(200 * 1024))
      const fill = async (): Promise<never> => {
        const text = `${acknowledged.length} ${'x'.repeat(4000)}`
        await add(store, text)
        acknowledged.push(text)
        return fill()
      }
      await assert.rejects(fill(), isUnavailable)
      assert.deepEqual(await texts(store), acknowledged)
      const tooMuch = store.write(async (tx) => {
        for (let row = 0; row < 60; row += 1) await tx.run('INSERT INTO notes (text) VALUES (?)', [`much ${row} ${'x'.repeat(4000)}`])
      })
      await assert.rejects(tooMuch, isUnavailable)
      rmSync(filler)
      await add(store, 'room again')
      assert.deepEqual(await texts(store), [...acknowledged, 'room again'])
    }),
  )

  test('a failing write is unavailable, ends no process and passes by itself', { skip: noLimiter }, async (t) => {
    const { program, list } = await startNotebook(t)
    assert.equal(await program.ask('add before'), 'ok')
    limitFiles(program.pid, '0')
    assert.equal(await program.ask('add lost'), 'unavailable')
    assert.equal(await program.ask('add again'), 'unavailable')
    limitFiles(program.pid, 'unlimited')
    assert.equal(await program.ask('add after'), 'ok')
    const found = await list()
    assert.deepEqual(
      found.filter((text) => text === 'before' || text === 'after'),
      ['before', 'after'],
    )
  })

  test('a failing sync leaves the act in doubt and nothing else', { skip: noTracer }, async (t) => {
    const { program, list } = await startNotebook(t)
    assert.equal(await program.ask('add before'), 'ok')
    const mend = await failSyncs(program.pid)
    assert.equal(await program.ask('add doubtful'), 'unavailable')
    assert.equal(await program.ask('add refused'), 'unavailable')
    await mend()
    assert.equal(await program.ask('add after'), 'ok')
    const found = (await list()).filter((text) => text !== 'doubtful')
    assert.deepEqual(found, ['before', 'after'])
  })

  test('an act in doubt is settled before anybody looks: a crash changes nothing', { skip: noTracer }, async (t) => {
    const { program, list, options } = await startNotebook(t)
    assert.equal(await program.ask('add before'), 'ok')
    const mend = await failSyncs(program.pid)
    assert.equal(await program.ask('add doubtful'), 'unavailable')
    const seen = await list()
    await mend()
    await program.kill()
    assert.deepEqual(await texts(await openFor(t, options)), seen)
  })

  test('SIGKILL at any moment loses no acknowledged row and halves none', async (t) => {
    const { path, key } = newOptions(t)
    const migrations = [['CREATE TABLE rows (id INTEGER PRIMARY KEY, copy INTEGER) STRICT']]
    let acknowledged = 0
    for (let round = 0; round < (full ? 100 : 5); round += 1) {
      const program = start(t, join(import.meta.dirname, 'fixtures', 'writer.ts'), { args: [path, key] })
      const lines = 1 + ((round * 7) % 40)
      for (let line = 0; line < lines; line += 1) acknowledged = Number(await program.line())
      await program.kill()
      const store = await openFor(t, { path, key, migrations })
      const found = await store.read.get<{ rows: number; last: number; halves: number }>(
        'SELECT count(*) AS rows, max(id) AS last, sum(copy IS NOT id) AS halves FROM rows',
      )
      await store.close()
      assert.ok(found !== undefined && found.last >= acknowledged, `acknowledged ${acknowledged}, found ${found?.last}`)
      assert.deepEqual([found.rows, found.halves], [found.last, 0])
    }
  })
})
