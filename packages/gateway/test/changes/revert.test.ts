// The opposite of an applied change is a change like any other: held, shown, and approved by a human.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangeID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { carry, createGroup, decide, fails, grants, group, groups, read, token, type Wanted } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { putServer, server } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit({ boot: { mountAllow: ['/srv/shared'] } })
await putServer(unit, 'sample')

const revert = async (id: string, more: { requestedBy?: string; reason?: string } = {}, presented = token) =>
  unit.gateway.controlPlane.revert({ token: presented, id: v.parse(ChangeID, id), ...more }, context)

/** What a group is, without what only says when. */
const stateOf = async (id: string): Promise<string> => {
  const { controlPlane } = unit.gateway
  const found = (await groups(unit)).find((item) => item.id === id)
  const granted = (await grants(unit)).filter((grant) => grant.agentGroupID === id && grant.state === 'active')
  const { items: wirings } = await controlPlane.wirings({ token, agentGroupID: group(id) }, context)
  return JSON.stringify([
    found === undefined ? null : { ...found, createdAt: '', origin: '' },
    granted.map(({ server: name, tools, expiresAt, maxCalls }) => [name, tools, expiresAt, maxCalls]),
    wirings.map(({ changeID: _id, ...wired }) => wired),
  ])
}

const place = { channel: 'slack', address: '#revert' }
const terms = { ...place, engage: 'all', session: 'shared' }

interface Case {
  readonly what: string
  /** What there is before. */
  readonly first?: readonly (readonly [kind: string, after: unknown])[]
  readonly change: readonly [kind: string, after: unknown]
}

const cases: readonly Case[] = [
  { what: 'a persona', first: [['persona', { instructions: 'before' }]], change: ['persona', { instructions: 'after' }] },
  { what: 'tools', first: [['tools', { enabled: ['search'] }]], change: ['tools', { enabled: ['run_script'] }] },
  { what: 'a new grant', change: ['mcp_access', { server: 'sample', tools: ['echo'] }] },
  {
    what: 'a wider grant',
    first: [['mcp_access', { server: 'sample', tools: ['echo'] }]],
    change: ['mcp_access', { server: 'sample', tools: [] }],
  },
  { what: 'a revocation', first: [['mcp_access', { server: 'sample', tools: ['echo'] }]], change: ['mcp_revoke', { server: 'sample' }] },
  {
    what: 'a revocation in part',
    first: [['mcp_access', { server: 'sample', tools: ['echo', 'add'], maxCalls: 7 }]],
    change: ['mcp_revoke', { server: 'sample', tools: ['echo'] }],
  },
  { what: 'a new wiring', change: ['wiring', terms] },
  { what: 'a changed wiring', first: [['wiring', terms]], change: ['wiring', { ...terms, engage: 'mention' }] },
  { what: 'the removal of a wiring', first: [['wiring', terms]], change: ['wiring', { remove: place }] },
  {
    what: 'mounts',
    first: [['mounts', { mounts: [{ source: '/srv/shared/a', target: '/mnt/a', mode: 'ro' }] }]],
    change: ['mounts', { mounts: [{ source: '/srv/shared/b', target: '/mnt/b', mode: 'rw' }] }],
  },
  {
    what: 'members and limits',
    first: [['permissions', { members: [{ channel: 'slack', user: 'U1' }], limits: { callsPerMinute: 5 } }]],
    change: ['permissions', { members: [], limits: { callsPerMinute: 9 } }],
  },
]

for (const [index, { what, first = [], change }] of cases.entries()) {
  test(`undoes ${what}`, async () => {
    const id = `r${index}`
    const at = (wanted: readonly [kind: string, after: unknown]): Wanted => {
      const text = JSON.stringify(wanted[1]).replaceAll('#revert', `#${id}`)
      return [wanted[0], id, JSON.parse(text)]
    }
    await createGroup(unit, id)
    for (const step of first) assert.equal((await carry(unit, at(step))).state, 'applied')
    const before = await stateOf(id)
    const done = await carry(unit, at(change))
    assert.equal(done.state, 'applied')
    const between = await stateOf(id)
    assert.notEqual(between, before)
    const inverse = await revert(done.id, { requestedBy: 'cli:bob', reason: 'wrong' })
    const shown = await read(unit, inverse.id)
    assert.deepEqual([shown.state, shown.revertOf, shown.requestedBy, shown.reason], ['held', done.id, 'cli:bob', 'wrong'])
    assert.equal(await stateOf(id), between)
    assert.equal((await decide(unit, [inverse.id, 'approve'])).state, 'applied')
    assert.equal(await stateOf(id), before)
    assert.ok((await audit(unit)).some((entry) => entry.stage === 'submit' && entry.changeID === inverse.id))
  })
}

test('undoes a new group by asking for its removal', async () => {
  const made = await createGroup(unit, 'brief')
  const inverse = await revert(made.id)
  assert.equal((await read(unit, inverse.id)).kind, 'agent_remove')
  await decide(unit, [inverse.id, 'approve'])
  assert.ok(!(await groups(unit)).some(({ id }) => id === 'brief'))
})

test('undoes the removal of a group by asking for it anew', async () => {
  await createGroup(unit, 'gone')
  await carry(unit, ['persona', 'gone', { instructions: 'kept' }])
  const removed = await carry(unit, ['agent_remove', 'gone', {}])
  const inverse = await revert(removed.id)
  assert.equal((await read(unit, inverse.id)).kind, 'agent_create')
  await decide(unit, [inverse.id, 'approve'])
  assert.equal((await groups(unit)).find(({ id }) => id === 'gone')?.persona, 'kept')
})

test('what nothing undoes says so', async () => {
  await createGroup(unit, 'asker')
  const registered = await carry(unit, ['mcp_register', 'asker', { name: 'fresh', transport: 'stdio', command: '/bin/cat' }])
  assert.equal(registered.state, 'applied')
  const error = await fails(revert(registered.id))
  assert.equal(error.code, 'conflict')
  assert.ok(error.detail.includes('mcp_register'), error.detail)
  assert.ok(error.hint)
})

test('who reverts asks: its own principal is the requester, and may not approve it', async () => {
  await createGroup(unit, 'owned')
  const done = await carry(unit, ['persona', 'owned', { instructions: 'x' }])
  const alice = await mint(unit, { name: 'alice', role: 'approver' })
  const { id } = await revert(done.id, {}, alice.token)
  const shown = await read(unit, id)
  assert.deepEqual([shown.principal, shown.requestedBy, shown.reason], ['alice', 'api:alice', `Reverts ${done.id}`])
  assert.equal((await fails(alice.decide(id, 'approve'))).code, 'self-approval')
})

test('a reversal that the verifier refuses is refused like any change', async () => {
  await createGroup(unit, 'bare')
  await putServer(unit, 'leaving')
  await carry(unit, ['mcp_access', 'bare', { server: 'leaving', tools: ['echo'] }])
  const revoked = await carry(unit, ['mcp_revoke', 'bare', { server: 'leaving' }])
  await unit.gateway.controlPlane.removeServer({ token, name: server('leaving') }, context)
  assert.equal((await fails(revert(revoked.id))).code, 'change-refused')
})
