// The power goes at any moment of a whole unit under load: whatever it had answered is there afterwards, in every store.
// Profile: rest. A matrix of power cuts over all stores; each store tests its own.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { seed } from '@gatehouse/testkit/random'
import { anyCuts, lastCut, play, record, type Recording } from './recording.ts'

const skip = spawnSync('strace', ['--version']).status === 0 ? false : 'needs strace, install it with: apt-get install -y strace'
if (skip !== false && process.env['CI'] === 'true') throw new Error(skip)
const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const [rounds, count] = isFull ? [12, 1_000] : [2, 24]

/** Syncs that promise nothing, and what that must lose. */
const weaknesses: readonly (readonly [string, RegExp])[] = [
  ['the journal', /\/audit\.jsonl$/],
  ['the queues', /\/queues\/.*-wal$/],
  ['the records of calls', /\/calls\.jsonl$/],
  ['the names of the files of the unit', /\/state$/],
]

describe('power cuts', { skip, timeout: 3_600_000 }, () => {
  let recording: Recording
  before(async () => {
    recording = await record(rounds)
  })
  after(() => rmSync(recording.root, { recursive: true }))

  test(`${count} of a unit under load lose nothing that was answered, in no store`, async (t) => {
    t.diagnostic(`GATEHOUSE_SEED=${seed}`)
    const played = await play(recording, { chosen: anyCuts(recording, { count, seed }) })
    t.diagnostic(
      `${played.cuts} cuts of ${recording.points} possible ones, ${recording.steps.filter(({ act }) => act === 'say').length} answers`,
    )
    assert.deepEqual(played.failures, [])
  })

  test('just before the last answer lose nothing either', async () => {
    assert.deepEqual((await play(recording, { chosen: lastCut(recording) })).failures, [])
  })

  for (const [name, forget] of weaknesses) {
    test(`are caught where the syncs of ${name} promise nothing`, async () => {
      assert.notDeepEqual((await play(recording, { chosen: lastCut(recording), forget })).failures, [])
    })
  }
})
