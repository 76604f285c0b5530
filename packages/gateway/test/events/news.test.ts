// The news of the journal: as it comes and as it came, resumed behind any line, for whom it concerns, and never more than data.
import assert from 'node:assert/strict'
import { appendFile, chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { AgentGroupID, type AuditEntry, type Digest, gatewayControlPlane, type News } from '@gatehouse/contracts'
import { fc, seed } from '@gatehouse/testkit/random'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { hostile } from '../fixtures/hostile.ts'
import { carry, createGroup, decide, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { openSession } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { allNews, askForAccess, calls, decisionsIn, during, newsIn } from './hearing.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const runs = full ? 2_000 : 60
const names = ['a', 'b', 'c'] as const
const members = ['seq', 'time', 'stage', 'principal', 'by', 'changeID', 'kind', 'agentGroupID']

let unit: Unit
let scoped: Digest
before(async () => {
  unit = await openUnit()
  for (const id of names) await createGroup(unit, id)
  scoped = (await mint(unit, { name: 'scoped', role: 'auditor', groups: [v.parse(AgentGroupID, 'a'), v.parse(AgentGroupID, 'c')] })).token
  for (let index = 0; index < 10; index += 1) {
    for (const id of names) await carry(unit, ['persona', id, { instructions: `x${index}` }])
    await unit.journal.sign()
  }
  await unit.close()
  unit = await openUnit({ dir: unit.dir })
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const read = async (after: number, limit: number, presented = token) => {
  const { items, head } = await unit.gateway.controlPlane.news({ token: presented, after, limit }, context)
  return { items, head }
}

/** What the whole journal says, by hand. */
const expected = async (groups?: readonly string[]): Promise<News[]> =>
  (await audit(unit))
    .filter(({ stage, agentGroupID }) => stage !== 'checkpoint' && (groups === undefined || groups.includes(agentGroupID ?? '')))
    .map((entry: AuditEntry) => Object.fromEntries(Object.entries(entry).filter(([name]) => members.includes(name))) as unknown as News)

test('there are checkpoints between the lines, and they are no news', async () => {
  const lines = await audit(unit)
  assert.ok(lines.filter(({ stage }) => stage === 'checkpoint').length > 5)
  assert.deepEqual(await allNews(unit), await expected())
  assert.equal((await read(0, 1)).head, lines.at(-1)?.seq)
})

test(
  `${runs} readers go on behind any line in pieces of any size, and miss nothing and hear nothing twice`,
  { timeout: 600_000 },
  async (t) => {
    t.diagnostic(`GATEHOUSE_SEED=${seed}`)
    const all = { whole: await expected(), part: await expected(['a', 'c']) }
    const head = (await audit(unit)).length
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -3, max: head + 3 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('whole' as const, 'part' as const),
        async (after, limit, which) => {
          const heard: News[] = []
          for (let from = after; ;) {
            const page = await read(from, limit, which === 'part' ? scoped : token)
            assert.equal(page.head, head)
            assert.ok(page.items.length <= limit)
            heard.push(...page.items)
            const last = page.items.at(-1)
            if (last === undefined) break
            from = last.seq
          }
          assert.deepEqual(
            heard,
            all[which].filter(({ seq }) => seq > after),
          )
        },
      ),
      { numRuns: runs, endOnFailure: true },
    )
  },
)

test('who asks for nothing, or from behind the end, is told where the end is', async () => {
  const { head } = await read(0, 1)
  for (const [after, limit] of [
    [0, 0],
    [0, -1],
    [head, 10],
    [head + 1, 10],
    [Number.MAX_SAFE_INTEGER, 1],
  ] as const) {
    assert.deepEqual(await read(after, limit), { items: [], head }, `${after} ${limit}`)
  }
})

test('who sees some groups hears of their lines alone, and of none that has no group', async () => {
  const seen = await allNews(unit, scoped)
  assert.ok(seen.length > 0)
  assert.deepEqual(new Set(seen.map(({ agentGroupID }) => agentGroupID)), new Set(['a', 'c']))
  const both = seen.length + (await expected(['b'])).length
  assert.ok(both < (await expected()).length, 'there are lines of no group')
})

test('news fits its contract, live and read again', async () => {
  const live = newsIn(await during(unit, () => carry(unit, ['persona', 'b', { instructions: 'live' }])))
  const first = live[0]?.seq ?? 0
  const again = (await read(first - 1, 100)).items
  assert.deepEqual(again, live)
  v.parse(gatewayControlPlane.events.news, { items: live })
  v.parse(gatewayControlPlane.calls.news.result, { items: again, head: 0, upTo: 0 })
})

test('what the journal says of itself is news, too: a torn end that it set aside once it could', async () => {
  await unit.close()
  const path = join(unit.dir, 'audit.jsonl')
  await appendFile(path, 'half a line')
  await chmod(path, 0o644)
  unit = await openUnit({ dir: unit.dir })
  assert.deepEqual(newsIn(unit.heard), [])
  await chmod(path, 0o600)
  await submit(unit, ['persona', 'a', { instructions: 'z' }])
  const live = newsIn(unit.heard)
  assert.deepEqual(
    live.map(({ stage }) => stage),
    ['recovered', 'recovered', 'submit'],
  )
  assert.deepEqual(live, (await read((live[0]?.seq ?? 0) - 1, 100)).items)
  const [torn] = (await audit(unit)).filter(({ stage }) => stage === 'recovered')
  assert.match(String(torn?.detail['kept']), /^audit\.torn-/)
})

test('hostile texts of requesters and deciders are data: as given, in their place, and nothing else is said', async () => {
  const { id: session } = await openSession(unit, 'c')
  for (const text of hostile) {
    const held = await submit(unit, ['persona', 'c', { instructions: 'x' }], { requestedBy: text.slice(0, 128), reason: text })
    const heard = await during(unit, () => decide(unit, [held.id, 'reject'], { decidedBy: text.slice(0, 128), reason: text }))
    assert.deepEqual(calls(heard), [])
    const [news, ...more] = newsIn(heard)
    assert.deepEqual(more, [])
    assert.ok(news)
    assert.ok(Object.keys(news).every((name) => members.includes(name)))
    assert.deepEqual(
      [news.stage, news.changeID, news.kind, news.agentGroupID, news.principal],
      ['reject', held.id, 'persona', 'c', 'admin'],
    )
    assert.equal(news.by, text.slice(0, 128))
  }
  const texts = full ? hostile : hostile.filter((_text, index) => index % 5 === 0)
  for (const text of texts) {
    const asked = await askForAccess(unit, session, text)
    const heard = await during(unit, () => decide(unit, [asked.id, 'reject'], { reason: text }))
    assert.deepEqual(decisionsIn(heard), [{ session, id: asked.id, state: 'rejected', kind: 'mcp_access', reason: text }])
    assert.equal(newsIn(heard).length, 1)
  }
})
