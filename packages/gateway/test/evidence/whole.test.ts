// Evidence that outgrows its change is kept once, as long as a change names it or may soon do so.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { digestOf } from '@gatehouse/kernel'
import { readDefinitions, readStoredEvidence, type StoredEvidence, storeEvidence } from '../../src/evidence/stored.ts'
import { newDirectory, openState, removeDirectory } from '../fixtures/unit.ts'
import { tool } from '../fixtures/change-context.ts'

let dir: string
let state: Awaited<ReturnType<typeof openState>>
before(async () => {
  dir = await newDirectory()
  state = await openState(dir)
})
after(async () => {
  await state.journal.close()
  await state.store.close()
  await removeDirectory(dir)
})

const make = (description: string): StoredEvidence => {
  const definitions = { tools: [tool('echo', { description })], drift: [] }
  return { digest: digestOf(definitions), definitions }
}

const named = ({ digest }: StoredEvidence) => ({
  evidence: {
    status: 'too-large',
    server: 'sample',
    entryDigest: digest,
    at: '2026-11-20T00:00:00.000Z',
    age: 0,
    missing: [],
    names: ['echo'],
    drifted: [],
    definitions: digest,
    pins: {},
  },
})

const count = async () => (await state.store.read.all('SELECT 1 FROM evidence')).length

test('the same is kept once, and comes back as it was', async () => {
  const whole = make('one')
  await storeEvidence(state.store, whole)
  await storeEvidence(state.store, whole)
  assert.equal(await count(), 1)
  assert.deepEqual(await readDefinitions(state.store.read, whole.digest), whole.definitions)
  const shown = await readStoredEvidence(state.store.read, named(whole))
  assert.deepEqual([shown.evidence?.['status'], shown.evidence?.['tools']], ['observed', whole.definitions.tools])
})

test('what was never kept is shown by its digest, and a change without evidence has none', async () => {
  const change = named(make('absent'))
  assert.deepEqual((await readStoredEvidence(state.store.read, change)).evidence, change.evidence)
  assert.deepEqual(await readStoredEvidence(state.store.read, { evidence: null }), { evidence: null })
})

test('what no change names is forgotten behind the last ones, what a change names stays', async () => {
  const kept = make('named by a change')
  await storeEvidence(state.store, kept)
  await state.store.write((tx) =>
    tx.run(`INSERT INTO changes (id, agent_group_id, state, record, definitions) VALUES ('chg_1', 'a', 'held', ?, ?)`, [
      JSON.stringify(named(kept)),
      kept.digest,
    ]),
  )
  for (let turn = 0; turn < 100; turn += 1) await storeEvidence(state.store, make(`turn ${turn}`))
  assert.equal(await count(), 65)
  assert.deepEqual(await readDefinitions(state.store.read, kept.digest), kept.definitions)
  assert.deepEqual(await readDefinitions(state.store.read, make('turn 99').digest), make('turn 99').definitions)
  assert.equal(await readDefinitions(state.store.read, make('one').digest), undefined)
})
