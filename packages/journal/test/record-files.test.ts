// Record files over time: rotated, kept and removed; and the content of slots.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { openRecords, type Records } from '../src/index.ts'
import { isLowOnSpace } from '../src/record-file.ts'
import { openSlotFile } from '../src/slot-file.ts'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { isUnwritable, newDirectory } from './state.ts'

const day = 24 * 60 * 60_000
const at = (time: number): { time: string } => ({ time: new Date(time).toISOString() })
const files = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
const lines = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1

const openFor = async (t: TestContext, path: string, retention?: { time: number; maxFileSize?: number }): Promise<Records> => {
  const records = await openRecords({ path, ...(retention !== undefined && { retention }) })
  t.after(() => records.close())
  return records
}
const all = async (records: Records): Promise<readonly unknown[]> =>
  (await records.read({ isWanted: () => true, limit: 1_000, max: { lines: 1_000, bytes: 1e6 } })).items

test('a large file is closed under the next number, and no record is lost', async (t) => {
  const directory = newDirectory(t)
  const records = await openFor(t, join(directory, 'calls.jsonl'), { time: 30 * day, maxFileSize: 1_000 })
  for (let call = 0; call < 50; call += 1) await records.append({ ...at(Date.now()), call, text: 'x'.repeat(100) })
  assert.deepEqual(files(directory).slice(0, 3), ['calls.1.jsonl', 'calls.2.jsonl', 'calls.3.jsonl'])
  assert.equal(
    files(directory).reduce((sum, name) => sum + lines(join(directory, name)), 0),
    50,
  )
  assert.deepEqual(
    (await all(records)).map((record) => (record as { call: number }).call),
    Array.from({ length: 50 }, (_, index) => 49 - index),
  )
  assert.equal(statSync(join(directory, 'calls.1.jsonl')).mode & 0o777, 0o600)
})

test('a file whose first record is a day old is closed, whatever its size', async (t) => {
  const directory = newDirectory(t)
  const path = join(directory, 'calls.jsonl')
  writeFileSync(path, `${JSON.stringify({ ...at(Date.now() - day - 1_000), call: 1 })}\n`, { mode: 0o600 })
  const records = await openFor(t, path, { time: 30 * day })
  await records.append({ ...at(Date.now()), call: 2 })
  assert.deepEqual([files(directory), lines(path)], [['calls.1.jsonl', 'calls.jsonl'], 1])
  await records.append({ ...at(Date.now()), call: 3 })
  assert.deepEqual(files(directory), ['calls.1.jsonl', 'calls.jsonl'])
})

test('a closed file is removed when its last record is older than the retention time', async (t) => {
  const directory = newDirectory(t)
  const path = join(directory, 'calls.jsonl')
  for (const [number, age] of [
    [1, 31],
    [2, 29],
  ] as const) {
    const closed = join(directory, `calls.${number}.jsonl`)
    writeFileSync(closed, '{}\n')
    utimesSync(closed, new Date(), new Date(Date.now() - age * day))
  }
  writeFileSync(join(directory, 'audit.1.jsonl'), '{}\n')
  utimesSync(join(directory, 'audit.1.jsonl'), new Date(), new Date(0))
  await openFor(t, path, { time: 30 * day })
  assert.deepEqual(files(directory), ['audit.1.jsonl', 'calls.2.jsonl', 'calls.jsonl'])
})

test('the next process finds filled slots, except those with a record', async (t) => {
  const directory = newDirectory(t)
  const path = join(directory, 'calls.jsonl')
  const first = await openRecords({ path })
  const slots = ['a', 'b', 'c', 'd'].map((id) => first.begin({ id }))
  slots[0]?.change({ id: 'a', tool: 'echo' })
  slots[1]?.clear()
  await first.append({ id: 'c' })
  await first.close()
  const second = await openFor(t, path)
  assert.deepEqual(
    second.unfinished.map(({ noted }) => noted),
    [{ id: 'a', tool: 'echo' }, { id: 'd' }],
  )
  for (const slot of second.unfinished) slot.clear()
  assert.equal((await openFor(t, path)).unfinished.length, 0)
  assert.equal(statSync(join(directory, 'calls.inflight')).mode & 0o777, 0o600)
})

test('a clock that is set a year ahead removes no records', async (t) => {
  const directory = newDirectory(t)
  const records = await openFor(t, join(directory, 'calls.jsonl'), { time: 30 * day, maxFileSize: 1_000 })
  const real = Date.now.bind(Date)
  for (let call = 0; call < 60; call += 1) {
    if (call === 30) t.mock.method(Date, 'now', () => real() + 365 * day)
    await records.append({ ...at(Date.now()), call, text: 'x'.repeat(100) })
  }
  assert.equal((await all(records)).length, 60)
})

for (const [step, milliseconds] of Object.entries({ '10 s': 10_000, '10 minutes': 600_000, 'a day': day, 'a year': 365 * day }))
  test(`records outlast their time by no more than the age of a file when the clock is set back by ${step}`, async (t) => {
    const directory = newDirectory(t)
    const path = join(directory, 'calls.jsonl')
    let offset = 0
    const real = Date.now.bind(Date)
    t.mock.method(Date, 'now', () => real() + offset)
    const records = await openFor(t, path, { time: 30 * day })
    await records.append(at(Date.now()))
    offset = -milliseconds
    await records.append(at(Date.now()))
    // Far more than a file stays open, from the first record or from where the clock was set to.
    offset += 4 * day
    await records.append(at(Date.now()))
    await records.append(at(Date.now()))
    assert.ok(files(directory).includes('calls.1.jsonl'), files(directory).join())
  })

test('a record that was written just before its file was closed is found', async (t) => {
  const directory = newDirectory(t)
  const path = join(directory, 'calls.jsonl')
  const first = await openRecords({ path, retention: { time: 30 * day, maxFileSize: 10 } })
  first.begin({ id: 'a' })
  await first.append({ id: 'a', text: 'x'.repeat(20) })
  await first.append({ id: 'later' })
  assert.ok(existsSync(join(directory, 'calls.1.jsonl')))
  await first.close()
  assert.deepEqual((await openFor(t, path)).unfinished, [])
})

test('content larger than a slot is refused and does not damage the next slot', (t) => {
  const path = join(newDirectory(t), 'slots')
  const file = openSlotFile(path)
  const [first, second] = [file.take({ id: 1 }), file.take({ id: 2 })]
  assert.throws(() => first.change({ id: 'x'.repeat(2_048) }))
  assert.throws(() => file.take({ id: 'x'.repeat(2_048) }))
  second.change({ id: 'short' })
  first.change({ id: 'long'.repeat(100) })
  first.change({ id: 3 })
  file.close()
  const again = openSlotFile(path)
  assert.deepEqual(
    again.left.map(({ noted }) => noted),
    [{ id: 3 }, { id: 'short' }],
  )
  again.close()
})

test('a slot that power loss left full of zeros is distinguished from an empty one', (t) => {
  const path = join(newDirectory(t), 'slots')
  writeFileSync(path, Buffer.concat([Buffer.alloc(2_048), Buffer.from('{"id":\n'), Buffer.alloc(2_041)]))
  const file = openSlotFile(path)
  assert.deepEqual(
    file.left.map(({ noted }) => noted),
    [undefined],
  )
  file.close()
})

test('records are refused below 256 MiB of free disk, or below an eighth of a small volume', () => {
  const GiB = 1024 ** 3
  assert.deepEqual(
    [
      { free: limits.diskForOthers, size: 100 * GiB },
      { free: limits.diskForOthers - 1, size: 100 * GiB },
      { free: GiB / 8, size: GiB },
      { free: GiB / 8 - 1, size: GiB },
    ].map(isLowOnSpace),
    [false, true, false, true],
  )
})

test('records and slots are refused while the disk is low on space, and accepted again afterwards', { skip: noSmallDisk }, () =>
  onSmallDisk('1m', async (directory) => {
    const records = await openRecords({ path: join(directory, 'calls.jsonl') })
    try {
      await records.append({ call: 1 })
      writeFileSync(join(directory, 'filler'), Buffer.alloc(950 * 1024))
      const deadline = Date.now() + 30_000
      // A positive result is cached briefly.
      while (
        await records.append({ call: 2 }).then(
          () => true,
          () => false,
        )
      )
        assert.ok(Date.now() < deadline)
      await assert.rejects(records.append({ call: 3 }), isUnwritable)
      assert.throws(() => records.begin({ id: 'a' }), isUnwritable)
      rmSync(join(directory, 'filler'))
      records.begin({ id: 'a' }).clear()
      await records.append({ call: 4 })
    } finally {
      await records.close()
    }
  }),
)
