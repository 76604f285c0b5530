// The log of calls: what is noted, recorded, kept while the disk takes nothing, and found again by the next process.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CallRecord, ModelCallRecord } from '@gatehouse/contracts'
import * as v from 'valibot'
import { CallLog, openRecords, readCalls, type Records, type Slot } from '../src/index.ts'
import { newDirectory } from './state.ts'

const session = '"session":"ses_abcdefghijklm","agentGroupID":"dev-agent"'
const model = `"provider":"anthropic","model":"claude","outcome":"ok"`

/** Files as releases before this log wrote them: a call that was killed, and one that was recorded. */
const earlier = {
  calls: {
    schema: CallRecord,
    running: `{"id":"b-0","time":"2026-11-28T15:36:56.702Z",${session},"op":"call","server":"files","tool":"read"}`,
    cleared: `"id":"b-1","time":"2026-11-28T15:36:56.703Z",${session},"op":"list","server":"files"}`,
    record: `{"id":"b-1","time":"2026-11-28T15:36:56.703Z",${session},"op":"list","server":"files","status":"ok","duration":1.235,"bytes":30}`,
  },
  'model-calls': {
    schema: ModelCallRecord,
    running: `{"id":"mc_0","time":"2026-11-28T12:00:00.000Z",${session},${model},"bytesIn":12,"bytesOut":0,"tokensIn":3,"tokensOut":5,"estimated":true,"duration":0.683}`,
    cleared: `"id":"mc_1","time":"2026-11-28T12:00:00.000Z",${session},${model},"bytesIn":12,"bytesOut":0,"tokensIn":3,"tokensOut":5,"estimated":true,"duration":0.044}`,
    record: `{"id":"mc_1","time":"2026-11-28T12:00:00.000Z",${session},${model},"status":200,"bytesIn":12,"bytesOut":0,"tokensIn":3,"tokensOut":4,"duration":0.176}`,
  },
} as const

/** The second slot was cleared: its first byte is a line end. */
const slots = (running: string, cleared: string): string => `${`${running}\n`.padEnd(2048, '\0')}\n${cleared}\n`

for (const [name, { schema, running, cleared, record }] of Object.entries(earlier))
  test(`${name}.jsonl and ${name}.inflight of an earlier release are read, and what ran is recorded once`, async (t) => {
    const directory = newDirectory(t)
    const path = join(directory, `${name}.jsonl`)
    writeFileSync(path, `${record}\n`, { mode: 0o600 })
    writeFileSync(join(directory, `${name}.inflight`), slots(running, cleared), { mode: 0o600 })
    const records = await openRecords({ path })
    const calls = new CallLog({ records, onUnwritable: () => assert.fail('it can be written') })
    const notes: unknown[] = []
    await calls.recover((note, slot) => {
      notes.push(note)
      return calls.write({ ...(note as object), status: 'unknown', duration: 0, bytes: 0 }, slot)
    })
    assert.deepEqual(notes, [JSON.parse(running)])
    const query = { schema: v.object({ id: v.string() }), matches: () => true, limit: 10, before: undefined }
    assert.deepEqual(
      (await readCalls(records, query)).items.map(({ id }) => id),
      [(JSON.parse(running) as { id: string }).id, (JSON.parse(record) as { id: string }).id],
    )
    const old = await readCalls<unknown>(records, { ...query, schema, matches: (one) => (one as { id: string }).id.endsWith('1') })
    assert.deepEqual(old.items, [JSON.parse(record)])
    await records.close()
    assert.ok(readFileSync(path, 'utf8').startsWith(`${record}\n`))
    const next = await openRecords({ path })
    t.after(() => next.close())
    assert.deepEqual(next.unfinished, [])
  })

interface Disk {
  readonly records: Pick<Records, 'begin' | 'append' | 'unfinished'>
  readonly written: object[]
  readonly cleared: unknown[]
  isFull: boolean
}

const createDisk = (unfinished: readonly object[] = []): Disk => {
  const written: object[] = []
  const cleared: unknown[] = []
  const refuse = (): void => {
    if (disk.isFull) throw new Error('no space')
  }
  const slot = (noted: unknown): Slot => ({ noted, change: refuse, clear: () => void cleared.push(noted) })
  const disk: Disk = {
    written,
    cleared,
    isFull: false,
    records: {
      unfinished: unfinished.map(slot),
      begin: (noted) => {
        refuse()
        return slot(noted)
      },
      append: async (record) => {
        refuse()
        written.push(record)
      },
    },
  }
  return disk
}

test('records that the disk did not take are written before the next one, oldest first, and their slots are cleared then', async () => {
  const disk = createDisk()
  const faults: boolean[] = []
  const calls = new CallLog({ records: disk.records, onUnwritable: (_, isFirst) => void faults.push(isFirst) })
  const noted = [{ id: 'a' }, { id: 'b' }, { id: 'c' }].map((note) => calls.begin(note))
  disk.isFull = true
  await assert.rejects(calls.write({ id: 'a' }, noted[0]), /no space/)
  await assert.rejects(calls.write({ id: 'b' }, noted[1]), /no space/)
  assert.deepEqual([calls.isWritable, faults, disk.written, disk.cleared], [false, [true, false], [], []])
  disk.isFull = false
  await calls.write({ id: 'c' }, noted[2])
  const all = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
  assert.deepEqual([calls.isWritable, disk.written, disk.cleared], [true, all, all])
})

test('a note that cannot be written says so until a record can be', async () => {
  const disk = createDisk()
  const calls = new CallLog({ records: disk.records, onUnwritable: () => undefined })
  const slot = calls.begin({ id: 'a' })
  disk.isFull = true
  assert.throws(() => calls.change(slot, { id: 'a', tool: 'read' }), /no space/)
  assert.throws(() => calls.begin({ id: 'b' }), /no space/)
  assert.equal(calls.isWritable, false)
  disk.isFull = false
  calls.begin({ id: 'c' })
  assert.equal(calls.isWritable, false)
  await calls.write({ id: 'a' }, slot)
  assert.equal(calls.isWritable, true)
})

test('at most 256 records are pending: the oldest are left to their slots', async () => {
  const disk = createDisk()
  const calls = new CallLog({ records: disk.records, onUnwritable: () => undefined })
  disk.isFull = true
  for (let at = 0; at < 258; at += 1) await assert.rejects(calls.write({ id: String(at) }, undefined))
  disk.isFull = false
  await calls.write({ id: 'last' }, undefined)
  assert.deepEqual([disk.written.length, disk.written[0], disk.written.at(-1)], [257, { id: '2' }, { id: 'last' }])
})

test('at a start, notes without a meaning are dropped, and records that cannot be written wait for the next one', async () => {
  const disk = createDisk([{ id: 'a' }, { strange: true }, { id: 'b' }])
  const calls = new CallLog({ records: disk.records, onUnwritable: () => undefined })
  disk.isFull = true
  await calls.recover((note, slot) => ('id' in (note as object) ? calls.write(note as object, slot) : undefined))
  assert.deepEqual([disk.written, disk.cleared], [[], [{ strange: true }]])
  disk.isFull = false
  await calls.write({ id: 'c' }, undefined)
  assert.deepEqual(disk.written, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])
})
