// The audit, searched and paged, is what a look at every line would find: nothing twice, nothing lost, whatever is written meanwhile.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { AgentGroupID, type AuditEntry, type Digest } from '@gatehouse/contracts'
import { fc, seed } from '@gatehouse/testkit/random'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { naive, pool, type Wanted, writeMany } from './many-lines.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const runs = full ? 500 : 30
/** Beyond 5,000 the search no longer counts to the end. */
const count = full ? 20_000 : 6_000
const reaches = { whole: undefined, two: ['a', 'c'], one: ['b'], none: ['empty'] } as const
type Reach = keyof typeof reaches

let unit: Unit
let lines: AuditEntry[]
let times: string[]
const tokens = new Map<Reach, Digest>([['whole', token]])

before(async () => {
  const dir = await writeMany(count, 200_000)
  unit = await openUnit({ dir })
  for (const [name, groups] of Object.entries(reaches)) {
    if (groups === undefined) continue
    const bound = groups.map((id) => v.parse(AgentGroupID, id))
    tokens.set(name as Reach, (await mint(unit, { name, role: 'auditor', groups: bound })).token)
  }
  lines = await audit(unit)
  times = [...new Set(lines.map(({ time }) => time))]
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const search = async (wanted: Wanted & { limit: number; cursor?: string | undefined }, reach: Reach = 'whole') =>
  unit.gateway.controlPlane.audit({ token: tokens.get(reach) ?? null, ...wanted } as never, context)

/** A line that nothing of the search can foresee, by the runner, in a group or in none. */
const write = async (agentGroupID: string | undefined): Promise<void> => {
  await unit.gateway.runner.note({ stage: 'launch', ...(agentGroupID && { agentGroupID: agentGroupID as never }), detail: {} }, context)
}

const seqs = (entries: readonly AuditEntry[]): number[] => entries.map(({ seq }) => seq)

test('the journal has many files, and most lines are in closed ones', async () => {
  const files = (await readdir(unit.dir)).filter((name) => /^audit\.\d+\.jsonl$/.test(name))
  assert.ok(files.length >= 5, `${files.length} files`)
  assert.ok(times.length > 50)
})

const single: Wanted[] = [
  {},
  ...(['stage', 'principal', 'changeID', 'kind', 'agentGroupID'] as const).flatMap((name) =>
    pool[name].map((value): Wanted => ({ [name]: value })),
  ),
]
for (const reach of Object.keys(reaches) as Reach[]) {
  test(`each filter alone, and none, finds what a look at every line finds, for a reader whose groups are ${reach}`, async () => {
    for (const wanted of single) {
      const expected = naive(lines, wanted, reaches[reach])
      for (const limit of [3, 30, 200]) {
        const { items, nextCursor } = await search({ ...wanted, limit }, reach)
        assert.deepEqual(items, expected.slice(0, limit), JSON.stringify(wanted))
        assert.equal(nextCursor, expected.length > limit ? String(items.at(-1)?.seq) : undefined)
      }
    }
  })
}

test('a span of time begins with its first moment and ends before its last, to the millisecond or the second', async () => {
  const at = times[Math.floor(times.length / 2)] ?? ''
  const spellings = [at, `${at.slice(0, 19)}Z`]
  for (const spelling of spellings) {
    for (const wanted of [
      { since: spelling },
      { until: spelling },
      { since: spelling, until: spelling },
      { since: spelling, stage: 'exit' },
    ]) {
      assert.deepEqual(
        seqs((await search({ ...wanted, limit: 200 })).items),
        seqs(naive(lines, wanted).slice(0, 200)),
        JSON.stringify(wanted),
      )
    }
  }
  assert.deepEqual((await search({ since: '9999-12-31T23:59:59.999Z', limit: 10 })).items, [])
  assert.deepEqual((await search({ until: '0000-01-01T00:00:00Z', limit: 10 })).items, [])
  assert.deepEqual(seqs((await search({ since: '0000-01-01T00:00:00Z', limit: 10 })).items), seqs(naive(lines, {}).slice(0, 10)))
  assert.deepEqual(seqs((await search({ until: '9999-12-31T23:59:59.999Z', limit: 10 })).items), seqs(naive(lines, {}).slice(0, 10)))
})

const sometimes = <T>(values: readonly T[]): fc.Arbitrary<T | undefined> =>
  fc.option(fc.constantFrom(...values), { freq: 1, nil: undefined })
/** A time of a line, or a moment beside it. */
const time = fc.option(
  fc.tuple(fc.nat(), fc.constantFrom(-1, 0, 0, 1)).map(([index, by]) => ({ index, by })),
  { freq: 1, nil: undefined },
)
const moment = (at: { index: number; by: number } | undefined): string | undefined =>
  at === undefined ? undefined : new Date(Date.parse(times[at.index % times.length] ?? '') + at.by).toISOString()

const questions = fc.record({
  stage: sometimes(pool.stage),
  principal: sometimes(pool.principal),
  changeID: fc.option(fc.constantFrom(...pool.changeID), { freq: 1, nil: undefined }),
  kind: sometimes(pool.kind),
  agentGroupID: sometimes(pool.agentGroupID),
  since: time,
  until: time,
  limit: fc.constantFrom(1, 2, 7, 16, 17, 50, 200),
  /** From this line on; from the newest otherwise. */
  from: fc.option(fc.nat(), { freq: 1, nil: undefined }),
  reach: fc.constantFrom<Reach[]>('whole', 'whole', 'two', 'one', 'none'),
  /** Written between two pages. */
  meanwhile: fc.array(fc.constantFrom<(string | undefined)[]>('a', 'b', undefined), { maxLength: 2 }),
})
const mostPages = 8

test(
  `${runs} random searches, page by page while lines are written, find what a look at every line finds`,
  { timeout: 600_000 },
  async (t) => {
    t.diagnostic(`GATEHOUSE_SEED=${seed}`)
    await fc.assert(
      fc.asyncProperty(questions, async ({ limit, from, reach, meanwhile, since, until, ...equal }) => {
        const wanted: Wanted = { ...equal, since: moment(since), until: moment(until) }
        const newest = lines.at(-1)?.seq ?? 0
        const start = from === undefined ? undefined : 1 + (from % (newest + 5))
        const expected = naive(
          lines.filter(({ seq }) => start === undefined || seq < start),
          wanted,
          reaches[reach],
        )
        const found: AuditEntry[] = []
        let cursor = start === undefined ? undefined : String(start)
        for (let page = 0; page < mostPages; page += 1) {
          const { items, nextCursor } = await search({ ...wanted, limit, cursor }, reach)
          assert.ok(items.length <= limit)
          assert.ok(nextCursor === undefined || items.length > 0, 'a page that is not the last is not empty')
          found.push(...items)
          cursor = nextCursor
          if (cursor === undefined) break
          for (const id of meanwhile) await write(id)
        }
        assert.deepEqual(found, cursor === undefined ? expected : expected.slice(0, found.length))
        for await (const entry of unit.journal.entriesAfter(newest)) lines.push(entry)
      }),
      { numRuns: runs, endOnFailure: true },
    )
  },
)

test('the whole audit is read to its first line', async () => {
  const found: AuditEntry[] = []
  let cursor: string | undefined
  do {
    const page = await search({ limit: 200, cursor })
    found.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  assert.deepEqual(found, naive(await audit(unit), {}))
})
