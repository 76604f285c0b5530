// Clients outside of a sandbox: the token says which session they are, and nothing else does.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AgentGroupID, ChangeID, type Digest, type NewToken } from '@gatehouse/contracts'
import { sha256, wallMs } from '@gatehouse/kernel'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { carry, createExternal, createGroup, decide, fails, group, inAnHour, submit, token } from '../fixtures/people.ts'
import { stages } from '../fixtures/records.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const boot = { mcpEndpoint: true }
let unit: Unit
before(async () => {
  unit = await openUnit({ boot })
  await putServer(unit, 'sample')
  await createGroup(unit, 'inside')
  await createExternal(unit, 'outside')
  await carry(unit, ['mcp_access', 'outside', { server: 'sample', tools: ['echo'] }])
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const client = (name: string, more: Partial<NewToken> = {}) =>
  mint(unit, { name, role: 'client', groups: [v.parse(AgentGroupID, 'outside')], expiresAt: inAnHour(), ...more })

const sessionOf = async (presented: Digest) => unit.gateway.broker.clientSession({ token: presented }, context)
const revoke = (name: string) => unit.gateway.controlPlane.revokeToken({ token, name }, context)

test('a group for a program outside is of high risk, and says that it is not sandboxed', async () => {
  const { id } = await submit(unit, ['agent_create', 'desk', { id: 'desk', name: 'Desk', agent: 'external' }])
  const change = await unit.gateway.controlPlane.change({ token, id }, context)
  assert.equal(change.risk, 'high')
  assert.match(JSON.stringify(change), /that is not sandboxed/)
  const { why, could } = await unit.gateway.controlPlane.reach({ token, id }, context)
  assert.match(why.join(' '), /with the network, files and credentials of that machine/)
  assert.deepEqual(
    could?.map(({ name }) => name),
    ['external program, not sandboxed', 'request_capability_change'],
  )
})

test('a unit without the endpoint makes neither such a group nor such a token', async () => {
  const other = await openUnit()
  try {
    const refused = await fails(submit(other, ['agent_create', 'x', { id: 'x', name: 'x', agent: 'external' }]))
    assert.equal(refused.extra?.['rule'], 'external-disabled')
    const expiresAt = inAnHour()
    const wanted = { name: 'c', role: 'client' as const, groups: [group('x')], expiresAt }
    const invalid = await fails(() => other.gateway.controlPlane.createToken({ token, wanted }, context))
    assert.deepEqual([invalid.code, invalid.errors?.[0]?.pointer], ['invalid', '/role'])
  } finally {
    await other.close()
    await removeDirectory(other.dir)
  }
})

for (const [what, more, pointer] of [
  ['no group', { groups: undefined }, '/groups'],
  ['two groups', { groups: [group('outside'), group('inside')] }, '/groups'],
  ['the group of a sandbox', { groups: [group('inside')] }, '/groups/0'],
  ['a group that is not there', { groups: [group('nowhere')] }, '/groups/0'],
  ['no end', { expiresAt: undefined }, '/expiresAt'],
  ['people of a channel', { identities: [{ channel: 'slack', user: 'U1' }] }, '/identities'],
] as const) {
  test(`makes no client token for ${what}`, async () => {
    const error = await fails(client('wrong', more as Partial<NewToken>))
    assert.deepEqual([error.code, error.errors?.[0]?.pointer], ['invalid', pointer])
  })
}

test('each token is one session of its group, the same after a restart, and is granted what the group is', async () => {
  const [one, other] = [await client('one'), await client('other')]
  const first = await sessionOf(one.token)
  assert.equal(first.agentGroupID, 'outside')
  assert.deepEqual(await sessionOf(one.token), first)
  assert.notEqual((await sessionOf(other.token)).session, first.session)
  assert.equal((await authorize(unit, first.session, ['sample', 'echo'])).allowed, true)
  assert.equal((await authorize(unit, first.session, ['sample', 'add'])).allowed, false)
  await unit.close()
  unit = await openUnit({ dir: unit.dir, boot })
  assert.deepEqual(await sessionOf(one.token), first)
  for (const name of ['one', 'other']) await revoke(name)
})

test('no token of another role, no wrong one and none at all has a session', async () => {
  for (const role of ['auditor', 'requester', 'approver', 'admin'] as const) {
    const { token: presented } = await mint(unit, { name: `an-${role}`, role })
    assert.equal((await fails(sessionOf(presented))).code, 'forbidden', role)
  }
  assert.equal((await fails(sessionOf(token))).code, 'forbidden')
  assert.equal((await fails(sessionOf(sha256('forged')))).code, 'unauthorized')
})

test('a revoked token loses its session at once, and a new one of its name gets another', async () => {
  const { token: presented } = await client('gone')
  const { session } = await sessionOf(presented)
  unit.heard.length = 0
  await revoke('gone')
  assert.deepEqual(
    unit.heard.filter(({ by, event }) => by === 'broker' && event === 'session-closed').map(({ payload }) => payload),
    [{ session }],
  )
  assert.deepEqual(await authorize(unit, session, ['sample', 'echo']), { allowed: false, agentGroupID: null, code: 'not-granted' })
  assert.equal((await fails(sessionOf(presented))).code, 'unauthorized')
  await unit.close()
  unit = await openUnit({ dir: unit.dir, boot })
  assert.equal((await authorize(unit, session, ['sample', 'echo'])).allowed, false)
  const again = await client('gone')
  assert.notEqual((await sessionOf(again.token)).session, session)
  await revoke('gone')
})

test('an expired token has no session any more', async () => {
  let now = wallMs()
  const timed = await openUnit({ boot, clock: () => now, elapsed: () => now })
  try {
    await createExternal(timed, 'outside')
    const groups = [group('outside')]
    const made = await mint(timed, { name: 'short', role: 'client', groups, expiresAt: new Date(now + 60_000).toISOString() })
    await timed.gateway.broker.clientSession({ token: made.token }, context)
    now += 61_000
    assert.equal((await fails(() => timed.gateway.broker.clientSession({ token: made.token }, context))).code, 'unauthorized')
  } finally {
    await timed.close()
    await removeDirectory(timed.dir)
  }
})

test('no sandbox is opened for such a group, and nobody who launches hears of its clients', async () => {
  const { token: presented } = await client('seen')
  const { session } = await sessionOf(presented)
  const refused = await fails(openSession(unit, 'outside'))
  assert.deepEqual([refused.code, refused.detail.includes('is external, so it has no sandbox and no chat')], ['conflict', true])
  // The conversation of a client is no way in either.
  assert.equal((await fails(openSession(unit, 'outside', 'mcp:seen'))).code, 'conflict')
  for (const list of [await unit.gateway.runner.sessions({}, context), await unit.gateway.broker.sessions({}, context)])
    assert.ok(!JSON.stringify(list).includes(session))
  assert.ok(!unit.heard.some(({ event, payload }) => event === 'session-opened' && JSON.stringify(payload).includes(session)))
  await revoke('seen')
})

test('a client whose group is gone, or is that of a sandbox now, has no session', async () => {
  await createExternal(unit, 'moving')
  const { token: presented } = await client('mover', { groups: [group('moving')] })
  await sessionOf(presented)
  await carry(unit, ['agent_remove', 'moving', {}])
  assert.equal((await fails(sessionOf(presented))).code, 'not-found')
  await createGroup(unit, 'moving')
  assert.equal((await fails(sessionOf(presented))).code, 'forbidden')
})

test('it asks for its own group, sees what became of it, and takes back what it asked for', async () => {
  const { token: presented } = await client('asking')
  const { session } = await sessionOf(presented)
  const { controlPlane } = unit.gateway
  const ask = (tools: string[]) =>
    controlPlane.clientSubmit({ token: presented, kind: 'mcp_access', after: { server: 'sample', tools }, reason: 'to add' }, context)
  const asked = await ask(['echo', 'add'])
  const change = await controlPlane.change({ token, id: asked.id }, context)
  assert.deepEqual([change.agentGroupID, change.requestedBy, change.principal], ['outside', 'agent:outside', `session:${session}`])
  const state = async (id: string) => (await controlPlane.clientChange({ token: presented, id: v.parse(ChangeID, id) }, context)).state
  assert.equal(await state(asked.id), 'held')
  await decide(unit, [asked.id, 'approve'])
  assert.equal(await state(asked.id), 'applied')
  const other = await ask(['add'])
  assert.equal((await controlPlane.clientWithdraw({ token: presented, id: other.id }, context)).state, 'withdrawn')
  const foreign = await submit(unit, ['persona', 'inside', { instructions: 'x' }])
  assert.equal((await fails(() => controlPlane.clientChange({ token: presented, id: foreign.id }, context))).code, 'not-found')
  assert.ok((await stages(unit, other.id)).includes('withdraw'))
  await revoke('asking')
})

for (const [kind, after] of [
  ['persona', { instructions: 'be calm' }],
  ['tools', { enabled: ['search'] }],
  ['packages', { npm: ['left-pad@1.0.0'] }],
  ['mounts', { mounts: [{ source: '/srv/a', target: '/mnt/a', mode: 'ro' }] }],
  ['wiring', { channel: 'slack', address: '#a', engage: 'mention', session: 'shared' }],
  ['permissions', { limits: { memoryMiB: 1024 } }],
  ['permissions', { members: [{ channel: 'slack', user: 'U1' }] }],
] as const) {
  test(`refuses ${kind} ${JSON.stringify(after)} for a group outside of a sandbox`, async () => {
    const error = await fails(submit(unit, [kind, 'outside', after]))
    assert.equal(error.extra?.['rule'], 'external-agent')
  })
}

test('how often it may call is set as for a sandbox', async () => {
  assert.equal((await carry(unit, ['permissions', 'outside', { limits: { callsPerMinute: 5 } }])).state, 'applied')
})
