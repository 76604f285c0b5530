// What one answer to a reader of news looks through: a piece of the journal and no more, and for a narrowed reader its own lines alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentGroupID, News, Principal } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import { type Bounds, type FeedDeps, readFeed } from '../../src/events/feed.ts'
import { carry, createGroup, group } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit()
for (const id of ['a', 'b']) await createGroup(unit, id)
for (let index = 0; index < 20; index += 1) {
  if (index % 5 === 0) await carry(unit, ['persona', 'a', { instructions: `${index}` }])
  await carry(unit, ['persona', 'b', { instructions: `${index}` }])
}

const everybody: Principal = { name: 'all', role: 'auditor' }
const ofA: Principal = { name: 'narrow', role: 'auditor', groups: [group('a')] }
const seqs = (items: readonly News[]): number[] => items.map(({ seq }) => seq)
const linesOf = async (id?: AgentGroupID): Promise<number[]> =>
  (await audit(unit))
    .filter(({ agentGroupID, stage }) => stage !== 'checkpoint' && (id === undefined || agentGroupID === id))
    .map(({ seq }) => seq)

/** Counts the lines that are read, and those that are looked for one by one. */
const counted = (bounds?: Bounds) => {
  const read = { walked: 0, found: 0 }
  const journal: FeedDeps['journal'] = {
    head: () => unit.journal.head(),
    async *linesAfter(seq: number) {
      for await (const line of unit.journal.linesAfter(seq)) {
        read.walked += 1
        yield line
      }
    },
    entriesAt: async (places: Parameters<Journal['entriesAt']>[0]) => {
      read.found += places.length
      return unit.journal.entriesAt(places)
    },
  }
  return { read, deps: { journal, store: unit.store, ...(bounds === undefined ? {} : { bounds }) } }
}

const readAll = async (deps: FeedDeps, principal: Principal, limit: number): Promise<number[]> => {
  const told: number[] = []
  for (let from = 0; ;) {
    const { items, head, upTo } = await readFeed(deps, principal, { after: from, limit })
    told.push(...seqs(items))
    assert.ok(items.length <= limit && upTo <= head)
    if (upTo >= head) return told
    assert.ok(upTo > from, 'an answer that comes no further')
    from = upTo
  }
}

for (const [who, principal] of [
  ['who sees all', everybody],
  ['who sees one group', ofA],
] as const) {
  test(`${who} is told every line once, whatever the bounds of an answer`, async () => {
    const expected = await linesOf(principal.groups?.[0])
    assert.ok(expected.length > 5)
    for (const bounds of [
      { lines: 1, bytes: 1e6 },
      { lines: 7, bytes: 1e6 },
      { lines: 1_000, bytes: 1 },
      { lines: 1_000, bytes: 3_000 },
    ])
      for (const limit of [1, 3, 100])
        assert.deepEqual(await readAll(counted(bounds).deps, principal, limit), expected, JSON.stringify({ bounds, limit }))
  })
}

test('an answer looks no further than its bound, and says how far it came', async () => {
  const { deps, read } = counted({ lines: 10, bytes: 1e6 })
  const [from] = (await linesOf(group('b'))).slice(2)
  const { items, upTo } = await readFeed(deps, { ...ofA, groups: [group('nobody')] }, { after: from ?? 0, limit: 200 })
  assert.deepEqual([items, upTo], [[], (from ?? 0) + 10])
  await readFeed(deps, everybody, { after: 0, limit: 200 })
  assert.ok(read.walked <= 11, String(read.walked))
})

test('a narrowed reader costs the lines of its groups, not those of the others', async () => {
  const { deps, read } = counted()
  const expected = await linesOf(group('a'))
  assert.deepEqual(seqs((await readFeed(deps, ofA, { after: 0, limit: 1_000 })).items), expected)
  assert.deepEqual(read, { walked: 0, found: expected.length })
})

test('lines that the index does not hold yet are told as well', async () => {
  const rest = (await linesOf(group('a'))).at(-2) ?? 0
  const { deps, read } = counted()
  const store = {
    read: {
      ...unit.store.read,
      get: async <T>(sql: string, params?: never): Promise<T | undefined> =>
        sql.includes('max(seq)') ? ({ seq: rest } as T) : unit.store.read.get<T>(sql, params),
    },
  }
  assert.deepEqual(await readAll({ ...deps, store }, ofA, 1_000), await linesOf(group('a')))
  assert.ok(read.walked > 0)
})
