// The stop: it holds at once and until somebody lifts it; decisions go on, and what was decided waits.
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { mint } from '../fixtures/crowd.ts'
import { carry, createGroup, decide, fails, group, groups, read, submit, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

let unit = await openTestUnit()
await putServer(unit, 'sample')
for (const id of ['a', 'b']) {
  await createGroup(unit, id)
  await carry(unit, ['mcp_access', id, { server: 'sample', tools: ['echo'] }])
}

const scope = (id?: string) => (id === undefined ? {} : { agentGroupID: group(id) })
const freeze = async (id?: string, presented = token) =>
  unit.gateway.controlPlane.freeze({ token: presented, ...scope(id), reason: 'alarm' }, context)
const unfreeze = async (id?: string, presented = token) =>
  unit.gateway.controlPlane.unfreeze({ token: presented, ...scope(id), reason: 'all clear' }, context)
const list = async () => (await unit.gateway.controlPlane.freezes({ token }, context)).items
const personaOf = async (id: string) => (await groups(unit)).find((item) => item.id === id)?.persona
const applied = (id: string) => waitFor(async () => (await read(unit, id)).state === 'applied', { what: `${id} to be applied` })

test('a frozen group is told apart from the others, at every door', async () => {
  const [one, other] = [await openSession(unit, 'a'), await openSession(unit, 'b')]
  unit.heard.length = 0
  const frozen = await freeze('a')
  assert.deepEqual({ ...frozen, at: '' }, { agentGroupID: 'a', reason: 'alarm', by: 'admin', at: '' })
  assert.deepEqual(
    unit.heard.filter(({ event }) => event === 'freeze-changed').map(({ by }) => by),
    ['broker', 'runner'],
  )
  assert.deepEqual(await authorize(unit, one.id, ['sample', 'echo']), { allowed: false, agentGroupID: 'a', code: 'frozen' })
  assert.equal((await authorize(unit, other.id, ['sample', 'echo'])).allowed, true)
  assert.equal((await unit.gateway.broker.grants({ session: one.id }, context)).frozen, true)
  assert.equal((await unit.gateway.runner.session({ session: one.id }, context)).frozen, true)
  assert.equal((await unit.gateway.runner.session({ session: other.id }, context)).frozen, false)
  assert.equal((await openSession(unit, 'a', 'opened-while-frozen')).agentGroupID, 'a')
  await unfreeze('a')
  assert.equal((await authorize(unit, one.id, ['sample', 'echo'])).allowed, true)
  assert.equal((await unit.gateway.runner.session({ session: one.id }, context)).frozen, false)
})

test('the whole unit is frozen at once, new groups too', async () => {
  await freeze()
  for (const id of ['a', 'b']) {
    const session = await openSession(unit, id)
    const verdict = await authorize(unit, session.id, ['sample', 'echo'])
    assert.equal(verdict.allowed ? 'allowed' : verdict.code, 'frozen')
  }
  const asked = await submit(unit, ['agent_create', 'late', { id: 'late', name: 'late', agent: 'mock' }])
  assert.equal((await decide(unit, [asked.id, 'approve'])).state, 'approved')
  assert.ok(!(await groups(unit)).some(({ id }) => id === 'late'))
  await unfreeze()
  await applied(asked.id)
  assert.ok((await groups(unit)).some(({ id }) => id === 'late'))
})

test('decisions are made under a freeze; what was approved is applied once it is lifted, in order', async () => {
  await freeze('a')
  const kept = await submit(unit, ['persona', 'a', { instructions: 'kept' }])
  const thrown = await submit(unit, ['persona', 'a', { instructions: 'thrown' }])
  assert.equal((await decide(unit, [kept.id, 'approve'])).state, 'approved')
  assert.equal((await decide(unit, [thrown.id, 'reject'])).state, 'rejected')
  const other = await carry(unit, ['persona', 'b', { instructions: 'free' }])
  assert.equal(other.state, 'applied', 'another group goes on')
  assert.notEqual(await personaOf('a'), 'kept')
  await unfreeze('a')
  await applied(kept.id)
  assert.equal(await personaOf('a'), 'kept')
  assert.deepEqual(await stages(unit, kept.id), ['submit', 'approve', 'self-approved', 'apply'])
})

test('a revocation that is approved under a freeze is applied at once, and no older approval brings back what it took', async () => {
  await carry(unit, ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }])
  await freeze('a')
  const wider = await submit(unit, ['mcp_access', 'a', { server: 'sample', tools: ['echo', 'add'] }])
  assert.equal((await decide(unit, [wider.id, 'approve'])).state, 'approved')
  assert.equal((await carry(unit, ['mcp_revoke', 'a', { server: 'sample' }])).state, 'applied')
  const session = await openSession(unit, 'a', 'under-the-freeze')
  await unfreeze('a')
  const verdict = await authorize(unit, session.id, ['sample', 'echo'])
  assert.equal(verdict.allowed, false)
  await waitFor(async () => (await read(unit, wider.id)).state === 'apply_failed', { what: 'the wider grant to be found stale' })
  assert.equal((await authorize(unit, session.id, ['sample', 'add'])).allowed, false)
  await carry(unit, ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }])
})

test('a freeze of the unit and of a group are two: lifting one leaves the other', async () => {
  await freeze('a')
  await freeze()
  const asked = await submit(unit, ['persona', 'a', { instructions: 'twice frozen' }])
  await decide(unit, [asked.id, 'approve'])
  await unfreeze()
  const session = await openSession(unit, 'a')
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'echo']), { allowed: false, agentGroupID: 'a', code: 'frozen' })
  assert.equal((await read(unit, asked.id)).state, 'approved')
  await unfreeze('a')
  await applied(asked.id)
  assert.deepEqual(await list(), [])
})

test('freezing what is frozen keeps the first reason and writes no line; lifting what is not frozen is refused', async () => {
  const first = await freeze('a')
  const before = (await audit(unit)).length
  assert.deepEqual(await freeze('a'), first)
  assert.equal((await audit(unit)).length, before)
  await unfreeze('a')
  assert.equal((await fails(unfreeze('a'))).code, 'not-found')
  assert.equal((await fails(unfreeze())).code, 'not-found')
  assert.equal((await fails(freeze('nobody'))).code, 'not-found')
})

test('a freeze outlives the gateway, and what waits under it too', async () => {
  await freeze('a')
  const asked = await submit(unit, ['persona', 'a', { instructions: 'over the night' }])
  await decide(unit, [asked.id, 'approve'])
  const frozen = await list()
  for (const end of ['close', 'drop'] as const) {
    await unit[end]()
    unit = await openUnit({ dir: unit.dir })
    assert.deepEqual(await list(), frozen)
    assert.equal((await read(unit, asked.id)).state, 'approved')
    const session = await openSession(unit, 'a')
    assert.deepEqual(await authorize(unit, session.id, ['sample', 'echo']), { allowed: false, agentGroupID: 'a', code: 'frozen' })
  }
  await unfreeze('a')
  await applied(asked.id)
})

test('an approver freezes; an admin alone lifts, and says why', async () => {
  const approver = await mint(unit, { name: 'guard', role: 'approver' })
  const requester = await mint(unit, { name: 'writer', role: 'requester' })
  assert.equal((await fails(freeze('a', requester.token))).code, 'forbidden')
  assert.equal((await freeze('a', approver.token)).by, 'guard')
  assert.equal((await fails(unfreeze('a', approver.token))).code, 'forbidden')
  await unfreeze('a')
  const lines = (await audit(unit)).slice(-2)
  assert.deepEqual(
    lines.map(({ stage, principal, agentGroupID, detail }) => [stage, principal, agentGroupID, detail['reason']]),
    [
      ['freeze', 'guard', 'a', undefined],
      ['unfreeze', 'admin', 'a', 'all clear'],
    ],
  )
})

test('the stop works while the journal cannot be written, and is journaled when it can; lifting waits for the journal', async () => {
  const session = await openSession(unit, 'b')
  const path = join(unit.dir, 'audit.jsonl')
  await rename(path, `${path}.away`)
  await freeze()
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'echo']), { allowed: false, agentGroupID: 'b', code: 'frozen' })
  assert.equal((await fails(unfreeze())).code, 'audit-unwritable')
  assert.equal((await authorize(unit, session.id, ['sample', 'echo'])).allowed, false)
  await unit.drop()
  await rename(`${path}.away`, path)
  unit = await openUnit({ dir: unit.dir })
  assert.equal((await list())[0]?.reason, 'alarm')
  const again = await openSession(unit, 'b')
  assert.equal((await authorize(unit, again.id, ['sample', 'echo'])).allowed, false)
  await unfreeze()
  const written = (await audit(unit)).filter(({ stage }) => stage === 'freeze' || stage === 'unfreeze').slice(-2)
  assert.deepEqual(
    written.map(({ stage }) => stage),
    ['freeze', 'unfreeze'],
  )
  assert.ok(written[0]?.detail['late'])
  assert.equal((await authorize(unit, again.id, ['sample', 'echo'])).allowed, true)
})
