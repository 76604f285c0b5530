// Agents cannot flood people with requests; people are not bound by what binds agents.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { createGroup, decide, fails, read, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { openSession, putServer } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

let now = Date.now()
const clock = () => now
const unit = await openTestUnit({ clock })
for (let index = 0; index < 12; index += 1) await putServer(unit, `s${index}`)

/** A group with two sessions, and how they ask. */
const agents = async (id: string) => {
  await createGroup(unit, id)
  const sessions = [await openSession(unit, id, 'one'), await openSession(unit, id, 'two')]
  const ask = async (kind: string, after: unknown, { by = 0, reason }: { by?: number; reason?: string } = {}) =>
    unit.gateway.runner.submitFor({ session: v.parse(SessionID, sessions[by]?.id), kind, after, reason }, context)
  const access = (server: string, tools: string[], more: { by?: number; reason?: string } = {}) =>
    ask('mcp_access', { server, tools }, more)
  return { ask, access }
}

test(`at most ${limits.agentHeldChanges} requests of a group's agents wait, all sessions together`, async () => {
  const { access } = await agents('full')
  for (let index = 0; index < limits.agentHeldChanges; index += 1) await access(`s${index}`, ['echo'], { by: index % 2 })
  const before = (await audit(unit)).length
  const error = await fails(access('s11', ['echo']))
  assert.equal(error.code, 'queue-full')
  assert.equal((await audit(unit)).length, before)
  const other = await agents('not-full')
  assert.equal((await other.access('s11', ['echo'])).state, 'held', 'another group has its own room')
  for (let index = 0; index < 3; index += 1)
    assert.equal((await submit(unit, ['persona', 'full', { instructions: `${index}` }])).state, 'held')
  const pending = await unit.gateway.controlPlane.pending({ token, limit: 1, agentGroupID: 'full' as never }, context)
  await decide(unit, [pending.items[0]?.id ?? '', 'reject'])
  assert.equal((await access('s11', ['echo'])).state, 'held')
})

test('the same request again is the one that waits, from another session and many times at once too', async () => {
  const { access } = await agents('same')
  const first = await access('s0', ['echo'], { reason: 'please' })
  const before = (await audit(unit)).length
  const again = await Promise.all(
    Array.from({ length: 10 }, (_, index) => access('s0', ['echo'], { by: index % 2, reason: `please ${index}` })),
  )
  assert.ok(again.every((outcome) => outcome.id === first.id && outcome.state === 'held' && outcome.digest === first.digest))
  assert.equal((await audit(unit)).length, before)
})

test('many at once that are the same and new become one', async () => {
  const { access } = await agents('born')
  const outcomes = await Promise.all(Array.from({ length: 10 }, (_, index) => access('s0', ['echo'], { by: index % 2 })))
  assert.equal(new Set(outcomes.map(({ id }) => id)).size, 1)
})

test('a different request for the same target is a conflict that names the one that waits', async () => {
  const { access, ask } = await agents('target')
  const first = await access('s0', ['echo'])
  const error = await fails(access('s0', ['echo', 'add'], { by: 1 }))
  assert.equal(error.code, 'conflict')
  assert.ok(error.detail.includes(first.id))
  assert.equal(error.extra?.['changeID'], first.id)
  assert.equal((await access('s1', ['echo'])).state, 'held', 'another server is another target')
  assert.equal((await ask('tools', { enabled: ['search'] })).state, 'held', 'another kind is another target')
  assert.equal((await fails(ask('tools', { enabled: [] }))).code, 'conflict')
  await unit.gateway.controlPlane.submit(
    { token, submission: { kind: 'mcp_access', agentGroupID: 'target', after: { server: 's0', tools: [] } } },
    context,
  )
  await decide(unit, [first.id, 'approve'])
  assert.equal((await access('s0', ['echo', 'add'])).state, 'held')
})

test('what was rejected may not be asked for again before an hour is over', async () => {
  const { access } = await agents('patient')
  const first = await access('s0', ['echo'])
  await decide(unit, [first.id, 'reject'])
  now += 10 * 60_000
  const error = await fails(access('s0', ['echo'], { by: 1, reason: 'again' }))
  assert.equal(error.code, 'rate-limited')
  assert.equal(error.extra?.['retryAfter'], String(50 * 60))
  assert.equal((await access('s0', ['add'])).state, 'held', 'something else may be asked for')
  assert.equal((await submit(unit, ['mcp_access', 'patient', { server: 's0', tools: ['echo'] }])).state, 'held', 'a person may ask')
  const other = await agents('patient-2')
  assert.equal((await other.access('s0', ['echo'])).state, 'held', 'another group may ask')
  now += 50 * 60_000
  await decide(unit, [(await access('s0', ['add'])).id, 'reject'])
  const again = await access('s0', ['echo'])
  assert.notEqual(again.id, first.id)
})

test('what was rejected is the same in another order, said twice, or under other terms', async () => {
  const { ask, access } = await agents('spelled')
  await decide(unit, [(await access('s0', ['echo', 'add'])).id, 'reject'])
  const later = new Date(now + 60_000).toISOString()
  for (const more of [
    { tools: ['add', 'echo'] },
    { tools: ['echo', 'add', 'echo'] },
    { tools: ['add', 'add', 'echo', 'echo'], maxCalls: 7 },
    { tools: ['echo', 'add'], expiresAt: later },
  ])
    assert.equal((await fails(ask('mcp_access', { server: 's0', ...more }))).code, 'rate-limited', JSON.stringify(more))
  await decide(unit, [(await ask('tools', { enabled: ['search', 'read_file'] })).id, 'reject'])
  assert.equal((await fails(ask('tools', { enabled: ['read_file', 'search'] }))).code, 'rate-limited')
  assert.equal((await ask('tools', { enabled: ['search'] })).state, 'held', 'less than that may be asked for')
})

test('a clock that steps back does not shorten the pause', async () => {
  const { access } = await agents('stepped')
  await decide(unit, [(await access('s0', ['echo'])).id, 'reject'])
  now -= 3 * 60 * 60_000
  assert.equal((await fails(access('s0', ['echo']))).code, 'rate-limited')
  now += 3 * 60 * 60_000
})

test('the same refused request is refused again with the same change', async () => {
  const { access } = await agents('refused')
  const first = await fails(access('absent', ['echo']))
  const before = (await audit(unit)).length
  for (let turn = 0; turn < 5; turn += 1) assert.deepEqual((await fails(access('absent', ['echo'], { by: turn % 2 }))).extra, first.extra)
  assert.equal((await audit(unit)).length, before)
  assert.equal((await read(unit, first.extra?.['changeID'] ?? '')).state, 'refused')
})

test('what has expired makes room', async () => {
  const { access } = await agents('expiring')
  const first = await access('s0', ['echo'])
  now += 8 * 24 * 60 * 60_000
  const second = await access('s0', ['echo'])
  assert.notEqual(second.id, first.id)
})

test('a request says whether output of a tool may have come before it in the turn', async () => {
  await createGroup(unit, 'turns')
  const { id } = await submit(unit, ['mcp_access', 'turns', { server: 's0', tools: ['echo'] }])
  await decide(unit, [id, 'approve'])
  const session = await openSession(unit, 'turns')
  const ask = async (tools: string[], turnSince: number) => {
    const asked = await unit.gateway.runner.submitFor(
      { session: session.id, kind: 'mcp_access', after: { server: 's1', tools }, turnSince: new Date(turnSince).toISOString() },
      context,
    )
    const { afterToolOutput } = await read(unit, asked.id)
    await decide(unit, [asked.id, 'reject'])
    return afterToolOutput
  }
  now += 1000
  assert.equal(await ask(['a'], now - 500), false)
  const refused = await unit.gateway.broker.authorize({ session: session.id, server: 's0', tool: 'remove' }, context)
  assert.equal(refused.allowed, false)
  assert.equal(await ask(['b'], now - 500), false, 'a refused call brings nothing')
  const allowed = await unit.gateway.broker.authorize({ session: session.id, server: 's0', tool: 'echo' }, context)
  assert.equal(allowed.allowed, true)
  assert.equal(await ask(['c'], now - 500), true)
  assert.equal(await ask(['d'], now + 1), false, 'a turn that began later')
  assert.equal(await ask(['e'], now - 30 * 24 * 60 * 60_000), true, 'what was before this gateway lived is not known')
  const person = await submit(unit, ['persona', 'turns', { instructions: 'x' }])
  assert.equal((await read(unit, person.id)).afterToolOutput, undefined)
})
