// Pages of the audit: their bounds, their cursors, and lines that are on disk while the index does not hold them, or errs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AuditEntry, codes, type Digest, limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import type { Rows, Store } from '@gatehouse/store'
import { mint } from '../fixtures/crowd.ts'
import { createGroup, decide, fails, group, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { guarded, databaseGate, openGated } from './gates.ts'
import { naive, type Wanted, writeMany } from './many-lines.ts'

let unit: Unit
let lines: AuditEntry[]
before(async () => {
  unit = await openUnit({ dir: await writeMany(500, 20_000) })
  await createGroup(unit, 'a')
  lines = await audit(unit)
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const search = async ({ gateway }: Unit, wanted: Wanted & { limit: number; cursor?: string | undefined }) =>
  gateway.controlPlane.audit({ token, ...wanted } as never, context)
const seqs = (entries: readonly AuditEntry[]): number[] => entries.map(({ seq }) => seq)

for (const cursor of ['', '0', '-1', '01', '+1', '1.5', '1e3', ' 1', '1 ', '１', 'x', 'null', '9'.repeat(16), '1;2', '1\n', '\u202e1']) {
  test(`${JSON.stringify(cursor)} is no cursor`, async () => {
    for (const filter of [{}, { stage: 'launch' }]) {
      const error = await fails(search(unit, { ...filter, limit: 5, cursor }))
      assert.equal(codes[error.code].status, 422)
      assert.deepEqual(
        error.errors?.map(({ pointer }) => pointer),
        ['/cursor'],
      )
      assert.ok(cursor.length < 2 || !JSON.stringify([error.detail, error.errors]).includes(cursor), 'it is not repeated')
    }
  })
}

test('a cursor behind the end begins at the newest line; before the first there is nothing', async () => {
  for (const filter of [{}, { stage: 'launch' }]) {
    const expected = seqs(naive(lines, filter).slice(0, 5))
    assert.deepEqual(seqs((await search(unit, { ...filter, limit: 5, cursor: '9'.repeat(15) })).items), expected)
    assert.deepEqual(await search(unit, { ...filter, limit: 5, cursor: '1' }), { items: [] })
  }
})

for (const [limit, expected] of [
  [0, 1],
  [-7, 1],
  [Number.NaN, 1],
  [1.9, 1],
  [3, 3],
  [limits.pageSizeMost, limits.pageSizeMost],
  [limits.pageSizeMost + 1, limits.pageSizeMost],
  [1e9, limits.pageSizeMost],
] as const) {
  test(`a page of ${limit} is one of ${expected}`, async () => {
    for (const filter of [{}, { edge: undefined }, { since: lines[0]?.time }]) {
      const { items, nextCursor } = await search(unit, { ...filter, limit })
      assert.deepEqual(seqs(items), seqs(naive(lines, {}).slice(0, expected)))
      assert.equal(nextCursor, String(items.at(-1)?.seq))
    }
  })
}

test('a page that ends with the first line has no next', async () => {
  const first = lines.slice(0, 3).toReversed()
  for (const filter of [{}, { until: '2900-01-01T00:00:00.000Z' }]) {
    assert.deepEqual(await search(unit, { ...filter, limit: 3, cursor: '4' }), { items: first })
    assert.equal((await search(unit, { ...filter, limit: 2, cursor: '4' })).nextCursor, '2')
  }
})

test('lines that are on disk and not in the database yet are found once, by filter and without, by who may see them', async () => {
  const own = await openGated()
  await createGroup(own, 'a')
  const readers = new Map<Digest, readonly string[] | undefined>([[token, undefined]])
  for (const id of ['a', 'b']) {
    const reader = await mint(own, { name: `of-${id}`, role: 'auditor', groups: [group(id)] })
    readers.set(reader.token, [id])
  }
  const { id } = await submit(own, ['persona', 'a', { instructions: 'x' }])
  own.gates.database.set('stuck')
  const deciding = decide(own, [id, 'approve'])
  await waitFor(() => own.gates.database.waiting() > 0, { what: 'the lines on disk' })
  const all = await audit(own)
  assert.deepEqual(
    all.slice(-2).map(({ stage }) => stage),
    ['approve', 'self-approved'],
  )
  for (const [reader, groups] of readers) {
    for (const filter of [{}, { stage: 'approve' }, { agentGroupID: 'a' }, { stage: 'approve', kind: 'persona' }, { kind: 'mounts' }]) {
      const look = (cursor?: string) => own.gateway.controlPlane.audit({ token: reader, limit: 200, ...filter, cursor } as never, context)
      assert.deepEqual(seqs((await look()).items), seqs(naive(all, filter, groups)), JSON.stringify([filter, groups]))
      const page = await look(String(all.length))
      assert.deepEqual(seqs(page.items), seqs(naive(all.slice(0, -1), filter, groups)), 'and not behind a cursor before it')
    }
  }
  own.gates.database.set('open')
  await deciding
  await own.close()
  await removeDirectory(own.dir)
})

/** Lets something happen between two reads of the same question. */
const between = (store: Store, reads: (sql: string) => Promise<void>): Store => {
  const read: Rows = {
    get: async (sql, params) => (await reads(sql), store.read.get(sql, params)),
    all: async (sql, params) => (await reads(sql), store.read.all(sql, params)),
  }
  return { ...store, read: { ...store.read, ...read } }
}

test('a line that comes into the index while it is searched is found once', async () => {
  const gate = databaseGate()
  let release = async (): Promise<void> => undefined
  const own = await openUnit({
    store: (store) => between(guarded(store, gate), (sql) => (sql.startsWith('SELECT seq, file') ? release() : Promise.resolve())),
  })
  await createGroup(own, 'a')
  gate.set('stuck')
  const submitting = submit(own, ['persona', 'a', { instructions: 'x' }])
  await waitFor(() => gate.waiting() > 0, { what: 'the line on disk' })
  release = async () => {
    gate.set('open')
    await submitting
  }
  const all = await audit(own)
  const { items } = await search(own, { agentGroupID: 'a', limit: 200 })
  assert.deepEqual(seqs(items), seqs(naive(all, { agentGroupID: 'a' })))
  await own.close()
  await removeDirectory(own.dir)
})

test('where the index errs about a place the journal is asked', async () => {
  const own = await openUnit({ dir: await writeMany(200, 10_000) })
  const all = await audit(own)
  const wrong = ['start = start + 1', 'file = file + 1', 'length = length - 1', 'start = 0', 'length = 100000', 'file = 99']
  for (const [index, set] of wrong.entries()) {
    await own.store.write((tx) => tx.run(`UPDATE lines SET ${set} WHERE seq % ${wrong.length + 1} = ${index}`))
  }
  for (const filter of [{ stage: 'launch' }, { agentGroupID: 'b' }, { principal: 'ann', kind: 'persona' }]) {
    assert.deepEqual((await search(own, { ...filter, limit: 200 })).items, naive(all, filter))
  }
  await own.close()
  await removeDirectory(own.dir)
})
