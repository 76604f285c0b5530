// What only takes power away takes effect while journal or database fail, or take their time, and is journaled once.
import assert from 'node:assert/strict'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { prepare, type Stage } from '../faults/operations.ts'
import { decide, fails, submit } from '../fixtures/people.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { type Gated, type Mood, openGated } from './gates.ts'
import { allGone, becomesWhole, doAll, everyStage, gone, goneForGood, healthOf, keptLines, names, stagesOf, urgentLines } from './urgent.ts'

interface Trouble {
  readonly name: string
  readonly journal: Mood
  readonly database: Mood
  /** Once the acts were answered, and before all is well again. */
  readonly afterwards?: (unit: Gated) => void
  /** How many have their line in the journal while the trouble lasts. */
  readonly journaled: number
  /** The database has the effects while it lasts. */
  readonly stored: boolean
  /** How many lines say that they are late; one that was written as it had to be, though slowly, is not. */
  readonly late: number
}

const all = names.length
const shut = { journal: 'shut', journaled: 0 } as const

const troubles: readonly Trouble[] = [
  { name: 'the journal refuses', ...shut, database: 'open', stored: true, late: all },
  { name: 'the database refuses', journal: 'open', database: 'shut', journaled: all, stored: false, late: 0 },
  { name: 'both refuse', ...shut, database: 'shut', stored: false, late: all },
  { name: 'the database forgets what it wrote and the journal refuses', ...shut, database: 'forgetful', stored: true, late: all },
  { name: 'the journal is slow', journal: 'stuck', database: 'open', journaled: 0, stored: false, late: 0 },
  { name: 'the database is slow', journal: 'open', database: 'stuck', journaled: 1, stored: false, late: 0 },
  {
    name: 'the journal is slow, and then refuses',
    journal: 'stuck',
    database: 'open',
    afterwards: ({ gates }) => gates.journal.set('shut'),
    journaled: 0,
    stored: true,
    late: all,
  },
]

const isGone = async (unit: Gated, stage: Stage): Promise<boolean> => Object.values(await goneForGood(unit, stage)).every(Boolean)

const expectWhole = async (unit: Gated, stage: Stage, late: number): Promise<void> => {
  const lines = await urgentLines(unit)
  assert.deepEqual(stagesOf(lines), everyStage)
  const marks = lines.flatMap(({ detail, time }) =>
    'late' in detail ? [{ mark: detail['late'] as { at: string; id: string }, time }] : [],
  )
  assert.equal(marks.length, late)
  for (const { mark, time } of marks) {
    assert.deepEqual(Object.keys(mark).toSorted(), ['at', 'id'])
    assert.ok(mark.at <= time, `${mark.at} is not after ${time}`)
  }
  assert.equal(new Set(marks.map(({ mark }) => mark.id)).size, late)
  assert.deepEqual(await gone(unit, stage), allGone)
  assert.deepEqual(await goneForGood(unit, stage), allGone)
  assert.equal(await keptLines(unit), 0)
}

const runThrough = async ({ journal, database, afterwards, journaled, stored, late }: Trouble): Promise<void> => {
  const unit = await openGated()
  const stage = await prepare(unit)
  unit.gates.journal.set(journal)
  unit.gates.database.set(database)
  await doAll(unit, stage)
  assert.deepEqual(await gone(unit, stage), allGone)
  assert.match((await fails(decide(unit, [stage.held[1], 'approve']))).code, /^(change-already-decided|unavailable)$/)
  afterwards?.(unit)
  if (stored) await waitFor(() => isGone(unit, stage), { what: 'the effects' })
  else assert.ok(!(await isGone(unit, stage)))
  assert.equal((await urgentLines(unit)).length, journaled)
  unit.gates.journal.set('open')
  unit.gates.database.set('open')
  await waitFor(async () => (await urgentLines(unit)).length >= all && isGone(unit, stage), { what: 'lines and effects' })
  await becomesWhole(unit)
  await expectWhole(unit, stage, late)
  await unit.close()
  const again = await openGated({ dir: unit.dir })
  await expectWhole(again, stage, late)
  await again.close()
  await removeDirectory(unit.dir)
}

describe('freeze, reject, terminate and revoke', { concurrency: true }, () => {
  for (const trouble of troubles) {
    test(`take effect while ${trouble.name}, and are in the journal once afterwards`, () => runThrough(trouble))
  }
})

const isWritable = async (unit: Unit): Promise<unknown> => {
  const metric = (await unit.gateway.supervisor.metrics({}, context)).find(({ name }) => name === 'gatehouse_audit_writable')
  return (metric as { values: { value: number }[] } | undefined)?.values[0]?.value
}

test('health says what fails and since when it is over, and gets ready without anybody acting', async () => {
  const unit = await openGated()
  const stage = await prepare(unit)
  assert.equal((await healthOf(unit)).status, 'ready')
  unit.gates.journal.set('shut')
  await doAll(unit, stage)
  const { status, degraded, facts } = await healthOf(unit)
  assert.deepEqual([status, degraded, facts['journal']], ['failed', ['journal'], 'the disk of the journal says no'])
  assert.equal(await isWritable(unit), 0)
  assert.equal((await fails(submit(unit, ['persona', 'g', { instructions: 'x' }]))).code, 'audit-unwritable')
  unit.gates.journal.set('open')
  await becomesWhole(unit)
  assert.equal((await healthOf(unit)).facts['journal'], undefined)
  assert.equal(await isWritable(unit), 1)
  const { id } = await submit(unit, ['persona', 'g', { instructions: 'x' }])
  assert.equal((await decide(unit, [id, 'reject'])).state, 'rejected')
  await unit.close()
  await removeDirectory(unit.dir)
})

test('what was approved and could not be applied is applied when the trouble has passed, though nobody comes back to it', async () => {
  const unit = await openGated()
  const stage = await prepare(unit)
  unit.gates.database.set('shut')
  assert.equal((await fails(decide(unit, [stage.held[0], 'approve']))).code, 'unavailable')
  unit.gates.database.set('open')
  const personaOf = async () => (await unit.store.read.get<{ record: string }>(`SELECT record FROM groups WHERE id = 'g'`))?.record ?? ''
  await waitFor(async () => (await personaOf()).includes('"persona":"a"'), { what: 'the approved change to be applied' })
  await unit.close()
  await removeDirectory(unit.dir)
})

test('a unit whose journal was cut can still be stopped, and stays stopped', async () => {
  const first = await openUnit()
  const stage = await prepare(first)
  await first.close()
  await truncate(join(first.dir, 'audit.jsonl'), 0)
  for (const round of [1, 2]) {
    const unit = await openUnit({ dir: first.dir })
    if (round === 1) await doAll(unit, stage)
    assert.deepEqual(await gone(unit, stage), allGone)
    assert.deepEqual(await goneForGood(unit, stage), allGone)
    assert.equal(await keptLines(unit), names.length)
    assert.equal((await healthOf(unit)).status, 'failed')
    assert.deepEqual(await urgentLines(unit), [])
    await unit.close()
  }
  await removeDirectory(first.dir)
})
