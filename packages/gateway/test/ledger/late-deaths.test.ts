// A gateway that dies at any write while late acts are kept and journaled: what it had answered for stays, each line comes once.
import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { verifyJournal } from '@gatehouse/journal'
import { waitFor } from '@gatehouse/kernel'
import { prepare, type Stage, urgent } from '../faults/operations.ts'
import { newDirectory, openUnit, removeDirectory } from '../fixtures/unit.ts'
import { behindGate, journalGate } from './gates.ts'
import {
  allGone,
  becomesWhole,
  everyStage,
  gone,
  type Gone,
  goneForGood,
  healthOf,
  keptLines,
  names,
  stageOf,
  urgentLines,
} from './urgent.ts'

let prepared: string
let stage: Stage
before(async () => {
  const unit = await openUnit()
  stage = await prepare(unit)
  await unit.close()
  prepared = unit.dir
})
after(() => removeDirectory(prepared))

/** Writes are counted; the last one is done or not, and nobody is told; from then on nothing is written. */
const createLife = (writes: number, done: boolean) => {
  let left = Number.POSITIVE_INFINITY
  return {
    begin: () => void (left = writes),
    isOver: () => left < 0,
    through: async <T>(act: () => Promise<T>): Promise<T> => {
      left -= 1
      if (left >= 0) return act()
      if (left === -1 && done) await act()
      throw new Error('the process is dead')
    },
  }
}
type Life = ReturnType<typeof createLife>

const openMortal = async (dir: string, life: Life) => {
  const journal = journalGate()
  const unit = await openUnit({
    dir,
    journal: (real) => behindGate({ ...real, append: (lines) => life.through(() => real.append(lines)) }, journal),
    store: (store) => ({ ...store, write: (act) => life.through(() => store.write(act)) }),
  })
  return { unit, journal }
}

interface Run {
  /** Acts that were answered by a gateway that lived. */
  readonly answered: readonly string[]
  readonly lived: boolean
}

/** The journal refuses, each act is done, the journal can be written again. */
const live = async (dir: string, life: Life): Promise<Run> => {
  const { unit, journal } = await openMortal(dir, life)
  journal.set('shut')
  life.begin()
  const answered: string[] = []
  for (const name of names) {
    await urgent[name]?.(unit, stage)
    if (!life.isOver()) answered.push(name)
  }
  journal.set('open')
  const isWhole = async () => (await healthOf(unit)).status === 'ready' && (await keptLines(unit)) === 0
  await waitFor(async () => life.isOver() || isWhole(), { what: 'the end' })
  await unit.drop()
  return { answered, lived: !life.isOver() }
}

const count = (stages: readonly string[], stage: string): number => stages.filter((one) => one === stage).length

/** What has an effect has one line, and nothing is left to be written. */
const expectAudited = async (dir: string, before: Gone | undefined): Promise<Gone> => {
  const unit = await openUnit({ dir })
  await becomesWhole(unit)
  const effects = await goneForGood(unit, stage)
  const stages = (await urgentLines(unit)).map((line) => line.stage)
  for (const name of names) assert.equal(count(stages, stageOf(name)), effects[name] === true ? 1 : 0, name)
  assert.deepEqual(await gone(unit, stage), effects)
  if (before !== undefined) assert.deepEqual(effects, before)
  await unit.close()
  return effects
}

const dieAt = async (writes: number, done: boolean): Promise<boolean> => {
  const dir = await newDirectory()
  await cp(prepared, dir, { recursive: true })
  const { answered, lived } = await live(dir, createLife(writes, done))
  const effects = await expectAudited(dir, undefined)
  for (const name of answered) assert.equal(effects[name], true, `${name} was answered before write ${writes}`)
  await expectAudited(dir, effects)
  assert.equal((await verifyJournal({ path: `${dir}/audit.jsonl`, publicKeyPath: `${dir}/journal.pub` })).ok, true)
  await removeDirectory(dir)
  return lived
}

for (const done of [false, true]) {
  test(`a gateway that dies ${done ? 'after' : 'at'} any write loses nothing that it answered for and writes no line twice`, async (t) => {
    let writes = 0
    while (!(await dieAt(writes, done))) writes += 1
    t.diagnostic(`${writes} writes`)
    assert.ok(writes > names.length, `expected a write for each act and more, got ${writes}`)
  })
}

test('late lines wait over restarts for as long as the journal refuses', async () => {
  const dir = await newDirectory()
  await cp(prepared, dir, { recursive: true })
  for (let round = 0; round < 3; round += 1) {
    const refusing = journalGate('shut')
    const unit = await openUnit({ dir, journal: (journal) => behindGate(journal, refusing) })
    if (round === 0) for (const name of names) await urgent[name]?.(unit, stage)
    assert.deepEqual(await gone(unit, stage), allGone)
    assert.equal(await keptLines(unit), names.length)
    assert.deepEqual(await urgentLines(unit), [])
    await unit.drop()
  }
  const unit = await openUnit({ dir })
  await becomesWhole(unit)
  assert.deepEqual((await urgentLines(unit)).map((line) => line.stage).toSorted(), everyStage)
  await unit.close()
  await removeDirectory(dir)
})
