// `--approvals 2`: two different principals, neither of them the requester.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exits } from '@gatehouse/contracts'
import { isRefusal } from '@gatehouse/kernel'
import { administrator, mint, person, type Person } from '../fixtures/crowd.ts'
import { createGroup, fails, groups, read, token as adminToken } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { openSession, putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

let unit: Unit
let admin: Person
let alice: Person
let bob: Person
let carol: Person
before(async () => {
  const one = await openUnit()
  await createGroup(one, 'g')
  await putServer(one, 'sample')
  const tokens = [
    await mint(one, { name: 'alice', role: 'approver' }),
    await mint(one, { name: 'bob', role: 'admin' }),
    await mint(one, { name: 'carol', role: 'approver' }),
  ].map(({ token }) => token)
  await one.close()
  unit = await openUnit({ dir: one.dir, boot: { approvals: 2 } })
  admin = administrator(unit)
  const crowd = tokens.map((token) => person(unit, token))
  ;[alice, bob, carol] = crowd as [Person, Person, Person]
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const persona = (text: string) => ['persona', 'g', { instructions: text }] as const
const personaNow = async () => (await groups(unit)).find(({ id }) => id === 'g')?.persona

test('one approval leaves the change held, a second principal’s applies it', async () => {
  const { id } = await alice.submit(persona('two'))
  const first = await bob.decide(id, 'approve')
  assert.deepEqual([first.state, first.approvals], ['held', { needed: 2, given: 1 }])
  assert.notEqual(await personaNow(), 'two')
  const second = await carol.decide(id, 'approve')
  assert.deepEqual([second.state, second.approvals], ['applied', { needed: 2, given: 2 }])
  assert.equal(await personaNow(), 'two')
  assert.deepEqual(await stages(unit, id), ['submit', 'approve', 'approve', 'apply'])
  const lines = (await audit(unit)).filter(({ stage, changeID }) => stage === 'approve' && changeID === id)
  assert.deepEqual(
    lines.map(({ detail }) => detail['complete']),
    [false, true],
  )
})

test('the same principal counts once, under whatever label', async () => {
  const { id } = await alice.submit(persona('once'))
  await bob.decide(id, 'approve', { decidedBy: 'bob' })
  const error = await fails(bob.decide(id, 'approve', { decidedBy: 'carol' }))
  assert.equal(error.code, 'conflict')
  assert.deepEqual((await read(unit, id)).approvals, { needed: 2, given: 1 })
})

test('the requester does not count, the admin token neither, and no kind is an exception', async () => {
  const asked = await Promise.all([
    admin.submit(persona('by admin')).then(({ id }) => [admin, id] as const),
    bob.submit(persona('by bob')).then(({ id }) => [bob, id] as const),
    alice.submit(['mcp_access', 'g', { server: 'sample', tools: ['echo'] }]).then(({ id }) => [alice, id] as const),
  ])
  for (const [requester, id] of asked) assert.equal((await fails(requester.decide(id, 'approve'))).code, 'self-approval')
  const [, , access] = asked
  await bob.decide(access[1], 'approve')
  await carol.decide(access[1], 'approve')
  const revoke = await alice.submit(['mcp_revoke', 'g', { server: 'sample' }])
  assert.equal((await fails(alice.decide(revoke.id, 'approve'))).code, 'self-approval')
})

test('two who did not ask may be admin and another', async () => {
  const { id } = await alice.submit(persona('mixed'))
  await admin.decide(id, 'approve')
  assert.equal((await carol.decide(id, 'approve')).state, 'applied')
})

test('one rejection ends it, also behind an approval', async () => {
  const { id } = await alice.submit(persona('split'))
  await bob.decide(id, 'approve')
  const change = await carol.decide(id, 'reject')
  assert.equal(change.state, 'rejected')
  assert.equal((await fails(admin.decide(id, 'approve'))).code, 'change-already-decided')
})

test('who approved may still reject', async () => {
  const { id } = await alice.submit(persona('change of mind'))
  await bob.decide(id, 'approve')
  assert.equal((await bob.decide(id, 'reject')).state, 'rejected')
})

test('a changed digest clears the approvals that were given', async () => {
  const first = await alice.submit(persona('first'))
  await bob.decide(first.id, 'approve', { digest: first.digest })
  const other = await alice.submit(persona('other'))
  await bob.decide(other.id, 'approve')
  await carol.decide(other.id, 'approve')
  const rebased = await carol.decide(first.id, 'approve')
  assert.deepEqual([rebased.state, rebased.approvals], ['held', { needed: 2, given: 1 }])
  assert.equal(await personaNow(), 'other')
  assert.equal((await bob.decide(first.id, 'approve', { digest: rebased.digest })).state, 'applied')
  assert.equal(await personaNow(), 'first')
})

test('a stale approval clears them too, and counts for nothing', async () => {
  const first = await alice.submit(persona('stale first'))
  await bob.decide(first.id, 'approve', { digest: first.digest })
  const other = await alice.submit(persona('stale other'))
  await bob.decide(other.id, 'approve')
  await carol.decide(other.id, 'approve')
  assert.equal((await fails(carol.decide(first.id, 'approve', { digest: first.digest }))).code, 'change-stale')
  assert.deepEqual((await read(unit, first.id)).approvals, { needed: 2, given: 0 })
})

test('an approval counts no more when the token of who gave it is revoked, minted anew or over', async () => {
  const { controlPlane } = unit.gateway
  const gone = await mint(unit, { name: 'gone', role: 'approver' })
  const { id } = await alice.submit(persona('revoked'))
  await gone.decide(id, 'approve')
  await controlPlane.revokeToken({ token: adminToken, name: 'gone' }, context)
  const second = await bob.decide(id, 'approve')
  assert.deepEqual([second.state, second.approvals], ['held', { needed: 2, given: 1 }])
  const anew = await mint(unit, { name: 'gone', role: 'approver' })
  assert.equal((await anew.decide(id, 'approve')).state, 'applied', 'who has the name now speaks for itself')
  const lines = (await audit(unit)).filter(({ stage, changeID }) => stage === 'approve' && changeID === id)
  assert.deepEqual(
    lines.map(({ detail }) => [detail['complete'], detail['given']]),
    [
      [false, 1],
      [false, 1],
      [true, 2],
    ],
  )
})

test('an approval counts no more when the token of who gave it has expired', async () => {
  let now = Date.now()
  const one = await openUnit({ clock: () => now })
  await createGroup(one, 'g')
  const lasting = await Promise.all(['ann', 'ben', 'cid'].map((name) => mint(one, { name, role: 'approver' })))
  const brief = await mint(one, { name: 'brief', role: 'approver', expiresAt: new Date(now + 60_000).toISOString() })
  await one.close()
  const two = await openUnit({ dir: one.dir, clock: () => now, boot: { approvals: 2 } })
  const [ann, ben, cid, who] = [...lasting, brief].map(({ token }) => person(two, token)) as [Person, Person, Person, Person]
  const { id } = await ann.submit(persona('expired'))
  await who.decide(id, 'approve')
  now += 60_000
  assert.equal((await ben.decide(id, 'approve')).state, 'held')
  assert.equal((await cid.decide(id, 'approve')).state, 'applied')
  await two.close()
  await removeDirectory(one.dir)
})

test('of twenty second approvers at once one completes it', async () => {
  const { id } = await alice.submit(persona('raced'))
  await bob.decide(id, 'approve')
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? carol : admin).decide(id, 'approve')),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await stages(unit, id)).filter((stage) => stage === 'apply').length, 1)
})

test('what an agent asks for needs two people as well', async () => {
  const session = await openSession(unit, 'g')
  const asked = await unit.gateway.runner.submitFor(
    { session: session.id, kind: 'mcp_access', after: { server: 'sample', tools: ['add'] } },
    context,
  )
  assert.equal((await alice.decide(asked.id, 'approve')).state, 'held')
  assert.equal((await bob.decide(asked.id, 'approve')).state, 'applied')
})

test('half an approval outlives a crash, counts once and is joined by another', async () => {
  const { id } = await alice.submit(persona('restart'))
  await bob.decide(id, 'approve')
  const tokens = [bob, carol].map(({ token }) => token)
  // Every line is done again over what it did already.
  await unit.store.write((tx) => tx.run('DELETE FROM head'))
  await unit.drop()
  unit = await openUnit({ dir: unit.dir, boot: { approvals: 2 } })
  assert.equal((await read(unit, id)).decisions.length, 1)
  const [bobAgain, carolAgain] = tokens.map((token) => person(unit, token)) as [Person, Person]
  assert.deepEqual((await read(unit, id)).approvals, { needed: 2, given: 1 })
  assert.equal((await fails(bobAgain.decide(id, 'approve'))).code, 'conflict')
  assert.equal((await carolAgain.decide(id, 'approve')).state, 'applied')
})

const refusesToStart = async (dir: string | undefined, boot: object): Promise<boolean> => {
  try {
    const started = await openUnit({ ...(dir === undefined ? {} : { dir }), boot: { approvals: 2, ...boot } })
    await started.close()
    return false
  } catch (error) {
    return isRefusal(error) && error.exit === exits.configuration
  }
}

test('a unit in which two cannot approve does not start', async () => {
  const one = await openUnit()
  await mint(one, { name: 'reader', role: 'requester' })
  await mint(one, { name: 'brief', role: 'approver', expiresAt: new Date(Date.now() + 60_000).toISOString() })
  await one.close()
  assert.equal(await refusesToStart(one.dir, { adminToken: null }), true, 'only one named approver on an open unit')
  assert.equal(await refusesToStart(one.dir, {}), false, 'admin and one approver')
  const later = { clock: () => Date.now() + 120_000 }
  await assert.rejects(openUnit({ dir: one.dir, boot: { approvals: 2 }, ...later }), isRefusal)

  const back = await openUnit({ dir: one.dir, boot: { approvals: 2, restarted: true }, ...later })
  const { status, degraded, facts } = await back.gateway.supervisor.health({}, context)
  assert.deepEqual([status, degraded], ['degraded', ['approvers']], 'a gateway that died in a unit that runs comes back and says so')
  assert.match(String(facts['approvers']), /2 approvals are required, but only 1 person/)
  await mint(back, { name: 'other', role: 'approver' })
  assert.equal((await back.gateway.supervisor.health({}, context)).status, 'ready')
  await back.close()
  await removeDirectory(one.dir)
})

test('approvers of two different groups are not two for any change', async () => {
  const unit = await openUnit()
  for (const id of ['a', 'b']) await createGroup(unit, id)
  for (const id of ['a', 'b']) await mint(unit, { name: `of-${id}`, role: 'approver', groups: [id] })
  await unit.close()
  assert.equal(await refusesToStart(unit.dir, { adminToken: null }), true)
  const one = await openUnit({ dir: unit.dir })
  await mint(one, { name: 'of-both', role: 'approver', groups: ['a', 'b'] })
  await one.close()
  assert.equal(await refusesToStart(unit.dir, { adminToken: null }), false)
  await removeDirectory(unit.dir)
})
