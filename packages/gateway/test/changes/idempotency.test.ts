// The same attempt made twice is one attempt, whatever happens between the two.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Digest, limits } from '@gatehouse/contracts'
import { createRetentionClock, sha256 } from '@gatehouse/kernel'
import { mint } from '../fixtures/crowd.ts'
import { createGroup, decide, fails, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

let now = Date.now()
const clock = () => now
let passed = 0
const elapsed = () => passed
const options = { clock, elapsed, retention: createRetentionClock({ wall: clock, elapsed }) }
const pass = (milliseconds: number): void => {
  now += milliseconds
  passed += milliseconds
}
let unit = await openTestUnit(options)
await createGroup(unit, 'g')

interface Attempt {
  readonly key: string
  readonly text?: string
  readonly route?: string
  readonly by?: Digest
  readonly kind?: string
}

const attempt = async ({ key, text = 'x', route = 'POST /v1/changes', by = token, kind = 'persona' }: Attempt) =>
  unit.gateway.controlPlane.submit(
    {
      token: by,
      submission: { kind, agentGroupID: 'g', after: kind === 'persona' ? { instructions: text } : { server: text, tools: [] } },
      idempotency: { route, key, body: sha256(`${kind} ${text}`) },
    },
    context,
  )

const submits = async () => (await audit(unit)).filter(({ stage }) => stage === 'submit' || stage === 'refuse').length

test('a second attempt replays the first, with the state as it is by then', async () => {
  const first = await attempt({ key: 'a' })
  assert.equal(first.replayed, false)
  assert.deepEqual(await attempt({ key: 'a' }), { ...first, replayed: true })
  await decide(unit, [first.id, 'approve'])
  assert.deepEqual(await attempt({ key: 'a' }), { ...first, state: 'applied', replayed: true })
})

test('another body under the same key is a conflict that names the first change', async () => {
  const first = await attempt({ key: 'b' })
  const error = await fails(attempt({ key: 'b', text: 'other' }))
  assert.equal(error.code, 'conflict')
  assert.ok(error.detail.includes(first.id))
})

test('the journal holds nothing by which a body could be guessed', async () => {
  await attempt({ key: 'guess', text: 'a short secret' })
  assert.ok(!JSON.stringify(await audit(unit)).includes(sha256('persona a short secret')))
})

test('of many attempts at once one is made', async () => {
  const before = await submits()
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => attempt({ key: 'c' })))
  assert.equal(new Set(outcomes.map(({ id }) => id)).size, 1)
  assert.equal(outcomes.filter(({ replayed }) => !replayed).length, 1)
  assert.equal(await submits(), before + 1)
})

test('of two bodies at once under one key one is made, and the other is a conflict', async () => {
  const outcomes = await Promise.allSettled([attempt({ key: 'd', text: '1' }), attempt({ key: 'd', text: '2' })])
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

test('a key belongs to its principal and its route', async () => {
  const alice = await mint(unit, { name: 'alice', role: 'requester' })
  const outcomes = [
    await attempt({ key: 'e' }),
    await attempt({ key: 'e', route: 'POST /v1/ui/config/change' }),
    await attempt({ key: 'e', by: alice.token }),
  ]
  assert.equal(new Set(outcomes.map(({ id }) => id)).size, 3)
  assert.ok(outcomes.every(({ replayed }) => !replayed))
})

test('a refused attempt is refused again with the same change, and is stored once', async () => {
  const first = await fails(attempt({ key: 'f', kind: 'mcp_access', text: 'absent' }))
  const before = await submits()
  const second = await fails(attempt({ key: 'f', kind: 'mcp_access', text: 'absent' }))
  assert.deepEqual([second.code, second.extra, second.detail], ['change-refused', first.extra, first.detail])
  assert.equal(await submits(), before)
})

test('what does not fit its schema uses up no key', async () => {
  const wrong = unit.gateway.controlPlane.submit(
    {
      token,
      submission: { kind: 'persona', agentGroupID: 'g', after: {} },
      idempotency: { route: 'r', key: 'g', body: sha256('1') },
    },
    context,
  )
  assert.equal((await fails(Promise.resolve(wrong))).code, 'invalid')
  assert.equal((await attempt({ key: 'g', route: 'r' })).replayed, false)
})

test('a key outlives a clean stop and a crash, also one whose effect was still missing', async () => {
  const first = await attempt({ key: 'h' })
  await unit.close()
  unit = await openUnit({ ...options, dir: unit.dir })
  assert.deepEqual(await attempt({ key: 'h' }), { ...first, replayed: true })
  const second = await attempt({ key: 'i' })
  await unit.store.write(async (tx) => {
    const { seq } = (await tx.get<{ seq: number }>('SELECT seq FROM head')) ?? { seq: 0 }
    assert.ok(seq > 0)
    await tx.run('DELETE FROM idempotency WHERE key = ?', ['i'])
    await tx.run('DELETE FROM changes WHERE id = ?', [second.id])
  })
  const line = (await audit(unit)).find(({ changeID }) => changeID === second.id)
  assert.ok(line)
  await unit.store.write((tx) => tx.run('UPDATE head SET seq = ?, hash = ?', [line.seq - 1, line.hash]))
  await unit.drop()
  unit = await openUnit({ ...options, dir: unit.dir })
  assert.deepEqual(await attempt({ key: 'i' }), { ...second, replayed: true })
})

test('a key is forgotten after a day, and may then be used for something else', async () => {
  const first = await attempt({ key: 'j' })
  pass(limits.idempotencyTime + 60_000)
  const second = await attempt({ key: 'j', text: 'other' })
  assert.equal(second.replayed, false)
  assert.notEqual(second.id, first.id)
  assert.deepEqual(await attempt({ key: 'j', text: 'other' }), { ...second, replayed: true })
})

for (const [what, step] of Object.entries({ '10 s': 10_000, '10 minutes': 600_000, 'a day': 86_400_000, 'a year': 31_536_000_000 })) {
  for (const direction of [1, -1]) {
    test(`a key is kept for its day when the clock is set ${what} ${direction > 0 ? 'forward' : 'back'}, and back again`, async () => {
      const key = `step-${direction * step}`
      const first = await attempt({ key })
      now += direction * step
      assert.deepEqual(await attempt({ key }), { ...first, replayed: true })
      pass(limits.idempotencyTime / 2)
      assert.deepEqual(await attempt({ key }), { ...first, replayed: true })
      now -= direction * step
      pass(limits.idempotencyTime / 2 - 1)
      assert.deepEqual(await attempt({ key }), { ...first, replayed: true })
    })
  }
}
