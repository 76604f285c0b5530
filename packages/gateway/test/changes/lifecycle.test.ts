// A change from the request to its effect, through the doors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { carry, createGroup, decide, grants, groups, read, submit, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit()

test('holds a change until a human approves it, and only then applies it', async () => {
  const { id, state, digest } = await submit(unit, [
    'agent_create',
    'writers',
    {
      id: 'writers',
      name: 'Writers',
      agent: 'mock',
      persona: 'Be brief.',
    },
  ])
  assert.match(id, /^chg_\d{14}\.\d{9}$/)
  assert.equal(state, 'held')
  assert.deepEqual(await groups(unit), [])
  const pending = await unit.gateway.controlPlane.pending({ token, limit: 10 }, context)
  assert.deepEqual(
    pending.items.map((change) => change.id),
    [id],
  )

  const change = await decide(unit, [id, 'approve'], { digest })
  assert.equal(change.state, 'applied')
  assert.equal(change.decisions[0]?.by, 'alice')
  assert.equal(change.decisions[0]?.principal, 'admin')
  const [made] = await groups(unit)
  assert.deepEqual(
    { id: made?.id, name: made?.name, agent: made?.agent, persona: made?.persona, origin: made?.origin },
    { id: 'writers', name: 'Writers', agent: 'mock', persona: 'Be brief.', origin: id },
  )
  assert.deepEqual(await stages(unit, id), ['submit', 'approve', 'self-approved', 'apply'])
})

test('a persona shows its diff and takes effect once approved', async () => {
  await createGroup(unit, 'poets')
  const { id } = await submit(unit, ['persona', 'poets', { instructions: 'Rhyme.' }], { requestedBy: 'bob', reason: 'they asked' })
  const change = await read(unit, id)
  assert.deepEqual(change.diff, [{ op: 'replace', path: '/instructions', value: 'Rhyme.' }])
  assert.deepEqual(change.before, { instructions: '' })
  assert.equal(change.requestedBy, 'bob')
  assert.equal(change.principal, 'admin')
  assert.equal(change.risk, 'medium')
  assert.equal(change.reason, 'they asked')
  await decide(unit, [id, 'approve'])
  assert.equal((await groups(unit)).find((item) => item.id === 'poets')?.persona, 'Rhyme.')
})

test('grants tools, answers by them at once, and takes them away at once', async () => {
  await createGroup(unit, 'callers')
  await putServer(unit, 'sample')
  const session = await openSession(unit, 'callers')
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'echo']), { allowed: false, agentGroupID: 'callers', code: 'not-granted' })

  await carry(unit, ['mcp_access', 'callers', { server: 'sample', tools: ['echo', 'add'] }])
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'echo']), { allowed: true, agentGroupID: 'callers' })
  assert.equal((await authorize(unit, session.id, ['sample', 'remove'])).allowed, false)

  const narrowed = await submit(unit, ['mcp_revoke', 'callers', { server: 'sample', tools: ['echo'] }])
  const shown = await read(unit, narrowed.id)
  assert.deepEqual(shown.diff, [{ op: 'remove', path: '/tools/0' }])
  assert.equal(shown.risk, 'low')
  await decide(unit, [narrowed.id, 'approve'])
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'echo']), { allowed: false, agentGroupID: 'callers', code: 'not-granted' })
  assert.equal((await authorize(unit, session.id, ['sample', 'add'])).allowed, true)

  await carry(unit, ['mcp_revoke', 'callers', { server: 'sample' }])
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'add']), { allowed: false, agentGroupID: 'callers', code: 'revoked' })
  assert.equal((await grants(unit))[0]?.state, 'revoked')
})

test('a grant that loses its last tool by name is revoked, never widened to every tool', async () => {
  await createGroup(unit, 'last')
  await putServer(unit, 'sample')
  const session = await openSession(unit, 'last')
  await carry(unit, ['mcp_access', 'last', { server: 'sample', tools: ['echo'] }])
  const change = await carry(unit, ['mcp_revoke', 'last', { server: 'sample', tools: ['echo', 'echo'] }])
  assert.equal(change.state, 'applied')
  assert.deepEqual(change.diff, [{ op: 'replace', path: '', value: null }])
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'add']), { allowed: false, agentGroupID: 'last', code: 'revoked' })
  assert.deepEqual((await unit.gateway.broker.grants({ session: session.id }, context)).grants, [])
})

test('an empty list of tools grants every tool, at high risk', async () => {
  await createGroup(unit, 'all')
  await putServer(unit, 'sample')
  const session = await openSession(unit, 'all')
  const change = await carry(unit, ['mcp_access', 'all', { server: 'sample', tools: [] }])
  assert.equal(change.risk, 'high')
  assert.equal((await authorize(unit, session.id, ['sample', 'whatever'])).allowed, true)
  assert.deepEqual((await unit.gateway.broker.grants({ session: session.id }, context)).grants, [{ server: 'sample', tools: [] }])
})

test('a rejected change is final, keeps its reason and changes nothing', async () => {
  await createGroup(unit, 'calm')
  const { id } = await submit(unit, ['persona', 'calm', { instructions: 'Shout.' }])
  const change = await decide(unit, [id, 'reject'], { reason: 'too loud' })
  assert.equal(change.state, 'rejected')
  assert.equal(change.decisions[0]?.reason, 'too loud')
  assert.equal((await groups(unit)).find((item) => item.id === 'calm')?.persona, '')
  assert.deepEqual(await stages(unit, id), ['submit', 'reject'])
})

test('a change of the same persona may be asked for, and history keeps it newest first', async () => {
  await createGroup(unit, 'same')
  const change = await carry(unit, ['persona', 'same', { instructions: '' }])
  assert.equal(change.state, 'applied')
  assert.deepEqual(change.diff, [])
  const history = await unit.gateway.controlPlane.history({ token, limit: 1 }, context)
  assert.equal(history.items[0]?.id, change.id)
  const next = await unit.gateway.controlPlane.history({ token, limit: 100, cursor: history.nextCursor! }, context)
  assert.ok(next.items.every((item) => item.id < change.id))
  assert.equal(next.nextCursor, undefined)
})

test('tells the control plane of each step, the runner of what was applied, the broker of grants', async () => {
  await createGroup(unit, 'told')
  await putServer(unit, 'sample')
  unit.heard.length = 0
  const { id } = await submit(unit, ['mcp_access', 'told', { server: 'sample', tools: ['echo'] }])
  await decide(unit, [id, 'approve'])
  const told = (by: string) => unit.heard.filter((item) => item.by === by)
  const news = told('controlPlane').flatMap(({ payload }) => (payload as { items: { stage: string; changeID?: string }[] }).items)
  assert.deepEqual(
    news.map(({ stage, changeID }) => [stage, changeID]),
    ['submit', 'approve', 'self-approved', 'apply'].map((stage) => [stage, id]),
  )
  assert.deepEqual(
    told('broker').map(({ event, payload }) => ({ event, payload })),
    [
      { event: 'observation-wanted', payload: { server: 'sample' } },
      { event: 'grant-changed', payload: { agentGroupID: 'told', server: 'sample' } },
    ],
  )
  assert.deepEqual(told('runner'), [
    { by: 'runner', event: 'group-changed', payload: { agentGroupID: 'told', changeID: id, narrowing: false } },
  ])
  unit.heard.length = 0
  const revoked = await carry(unit, ['mcp_revoke', 'told', { server: 'sample' }])
  assert.deepEqual(told('runner'), [
    { by: 'runner', event: 'group-changed', payload: { agentGroupID: 'told', changeID: revoked.id, narrowing: true } },
  ])
})

test('every line says who, through which door, and under which label', async () => {
  await createGroup(unit, 'lines')
  const { id } = await submit(unit, ['persona', 'lines', { instructions: 'x' }], { requestedBy: 'bob' })
  await decide(unit, [id, 'approve'], { decidedBy: 'carol' })
  const lines = (await audit(unit)).filter((entry) => entry.changeID === id)
  assert.deepEqual(
    lines.map(({ stage, edge, principal, by, kind, agentGroupID }) => ({ stage, edge, principal, by, kind, agentGroupID })),
    [
      { stage: 'submit', edge: 'control-plane', principal: 'admin', by: 'bob', kind: 'persona', agentGroupID: 'lines' },
      { stage: 'approve', edge: 'control-plane', principal: 'admin', by: 'carol', kind: 'persona', agentGroupID: 'lines' },
      { stage: 'self-approved', edge: 'control-plane', principal: 'admin', by: 'carol', kind: 'persona', agentGroupID: 'lines' },
      { stage: 'apply', edge: 'control-plane', principal: 'admin', by: 'carol', kind: 'persona', agentGroupID: 'lines' },
    ],
  )
})

test('an approved change that cannot be read keeps no other from being applied', async () => {
  await createGroup(unit, 'beside')
  const { controlPlane } = unit.gateway
  await controlPlane.freeze({ token, reason: 'to wait' }, context)
  const { id } = await carry(unit, ['persona', 'beside', { instructions: 'x' }])
  assert.equal((await read(unit, id)).state, 'approved')
  await unit.store.write((tx) =>
    tx.run(`INSERT INTO changes (id, agent_group_id, state, record) VALUES ('chg_0', 'beside', 'approved', '{}')`),
  )
  await controlPlane.unfreeze({ token, reason: 'enough' }, context)
  await waitFor(async () => (await read(unit, id)).state === 'applied', { what: 'the other to be applied' })
  await unit.store.write((tx) => tx.run(`DELETE FROM changes WHERE id = 'chg_0'`))
})
