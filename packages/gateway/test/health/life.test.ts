// What the supervisor and the audit's readers are told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGroup, decide, fails, submit, token } from '../fixtures/people.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

let now = Date.UTC(2026, 10, 20)
const unit = await openTestUnit({ clock: () => now })
await createGroup(unit, 'a')

const value = async (name: string, labels: Record<string, string> = {}): Promise<number | undefined> => {
  const metrics = (await unit.gateway.supervisor.metrics({}, context)) as {
    name: string
    values: { value: number; labels: Record<string, string> }[]
  }[]
  const values = metrics.find((metric) => metric.name === `gatehouse_${name}`)?.values ?? []
  return values.find((item) => Object.entries(labels).every(([key, label]) => item.labels[key] === label))?.value
}

test('counts what became of changes, and how many wait for how long', async () => {
  assert.equal(await value('gateway_held_changes'), 0)
  const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
  const second = await submit(unit, ['persona', 'a', { instructions: 'y' }])
  now += 90_000
  assert.equal(await value('gateway_held_changes'), 2)
  assert.equal(await value('gateway_oldest_held_seconds'), 90)
  await decide(unit, [id, 'approve'])
  await decide(unit, [second.id, 'reject'])
  await fails(submit(unit, ['agent_create', 'a', { id: 'a', name: 'a', agent: 'mock' }]))
  assert.equal(await value('gateway_held_changes'), 0)
  assert.equal(await value('gateway_decisions_total', { kind: 'persona', outcome: 'applied' }), 1)
  assert.equal(await value('gateway_decisions_total', { kind: 'persona', outcome: 'rejected' }), 1)
  assert.equal(await value('gateway_decisions_total', { kind: 'agent_create', outcome: 'refused' }), 1)
})

test('health is ready, with counts', async () => {
  const health = await unit.gateway.supervisor.health({}, context)
  assert.equal(health.status, 'ready')
  assert.deepEqual(health.degraded, [])
  assert.equal(health.facts['held'], 0)
})

test('the audit is read newest first, page by page, to its first line', async () => {
  const seen: number[] = []
  let cursor: string | undefined
  do {
    const page = await unit.gateway.controlPlane.audit({ token, limit: 3, cursor }, context)
    assert.ok(page.items.length <= 3)
    seen.push(...page.items.map((entry) => entry.seq))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  assert.deepEqual(
    seen,
    Array.from({ length: seen.length }, (_, index) => seen.length - index),
  )
  assert.equal((await fails(() => unit.gateway.controlPlane.audit({ token, limit: 3, cursor: '-1' }, context))).code, 'invalid')
  assert.equal((await fails(() => unit.gateway.controlPlane.history({ token, limit: 3, cursor: 'x' }, context))).code, 'invalid')
})

test('a page never outgrows a frame, however large its items', async () => {
  for (let index = 0; index < 40; index += 1) await submit(unit, ['persona', 'a', { instructions: `${index}${'\u0001'.repeat(40_000)}` }])
  const ids: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await unit.gateway.controlPlane.pending({ token, limit: 200, cursor }, context)
    assert.ok(Buffer.byteLength(JSON.stringify(page)) < 5 * 1024 * 1024)
    ids.push(...page.items.map((change) => change.id))
    cursor = page.nextCursor
    pages += 1
  } while (cursor !== undefined)
  assert.equal(new Set(ids).size, 40)
  assert.ok(pages > 1)
})

test('the runner may write its own stages into the journal', async () => {
  await unit.gateway.runner.note({ stage: 'launch', detail: { driver: 'bubblewrap' } }, context)
  const [line] = (await unit.gateway.controlPlane.audit({ token, limit: 1 }, context)).items
  assert.deepEqual([line?.stage, line?.edge, line?.principal, line?.detail], ['launch', 'runner', 'runner', { driver: 'bubblewrap' }])
})
