import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { openRecords, type Records } from '../src/index.ts'
import { newDirectory } from './state.ts'

const newPath = (t: TestContext): string => join(newDirectory(t), 'calls.jsonl')

const openFor = async (t: TestContext, path: string): Promise<Records> => {
  const records = await openRecords({ path })
  t.after(() => records.close())
  return records
}

const read = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((text) => JSON.parse(text))

describe('records', () => {
  test('are in the file when append resolves', async (t) => {
    const path = newPath(t)
    const records = await openFor(t, path)
    await records.append({ call: 1 })
    assert.deepEqual(read(path), [{ call: 1 }])
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  test('have the order of the calls', async (t) => {
    const path = newPath(t)
    const records = await openFor(t, path)
    const expected = Array.from({ length: 500 }, (_, call) => ({ call }))
    await Promise.all(expected.map((record) => records.append(record)))
    assert.deepEqual(read(path), expected)
  })

  test('are synced soon, many with one sync', async (t) => {
    const path = newPath(t)
    const records = await openFor(t, path)
    const probe = await open(path)
    const prototype = Object.getPrototypeOf(probe)
    const original = prototype.datasync
    await probe.close()
    const synced = new Promise<void>((resolve) => {
      t.mock.method(prototype, 'datasync', async function (this: unknown) {
        await original.call(this)
        resolve()
      })
    })
    for (let call = 0; call < 20; call += 1) await records.append({ call })
    // The sync timer does not keep a process running.
    const awake = setInterval(() => {}, 1000)
    await synced
    clearInterval(awake)
    assert.equal(prototype.datasync.mock.callCount(), 1)
  })

  test('continue after a restart, which removes a torn line', async (t) => {
    const path = newPath(t)
    const first = await openRecords({ path })
    await first.append({ call: 1 })
    await first.close()
    appendFileSync(path, '{"call":')
    const second = await openFor(t, path)
    await second.append({ call: 2 })
    assert.deepEqual(read(path), [{ call: 1 }, { call: 2 }])
  })

  test('begin in an empty file where only a torn line was', async (t) => {
    const path = newPath(t)
    writeFileSync(path, '{"call":')
    const records = await openFor(t, path)
    assert.equal(readFileSync(path, 'utf8'), '')
    await records.append({ call: 1 })
    assert.deepEqual(read(path), [{ call: 1 }])
  })

  test('go to a new file when their file was moved away', async (t) => {
    const path = newPath(t)
    const records = await openFor(t, path)
    await records.append({ call: 1 })
    renameSync(path, `${path}.old`)
    await Promise.all([records.append({ call: 2 }), records.append({ call: 3 })])
    await records.append({ call: 4 })
    assert.deepEqual(read(`${path}.old`), [{ call: 1 }])
    assert.deepEqual(read(path), [{ call: 2 }, { call: 3 }, { call: 4 }])
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  test('are refused while syncs fail, and accepted again afterwards', async (t) => {
    const path = newPath(t)
    const records = await openFor(t, path)
    const probe = await open(path)
    const failing = t.mock.method(Object.getPrototypeOf(probe), 'datasync', () => Promise.reject(new Error('EIO: i/o error')))
    await probe.close()
    const until = async (code: string): Promise<void> => {
      // Every attempt takes a turn of the event loop; the sync timer fires in between.
      const deadline = Date.now() + 30_000
      for (let found = ''; found !== code;) {
        assert.ok(Date.now() < deadline, `expected ${code}`)
        await new Promise((resolve) => void setTimeout(resolve, 10))
        found = await records.append({ call: 1 }).then(
          () => 'ok',
          (error: unknown) => (isServiceError(error) ? error.code : String(error)),
        )
      }
    }
    await until('audit-unwritable')
    failing.mock.restore()
    await until('ok')
  })

  test('that are queued are written before the file is closed, and later ones are refused', async (t) => {
    const path = newPath(t)
    const records = await openRecords({ path })
    const waiting = records.append({ call: 1 })
    await records.close()
    await waiting
    assert.deepEqual(read(path), [{ call: 1 }])
    await assert.rejects(records.append({ call: 2 }), (error) => isServiceError(error) && error.code === 'unavailable')
  })
})
