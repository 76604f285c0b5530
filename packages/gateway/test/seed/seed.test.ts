// What `--dev` and `--demo` start with, and what the death of one process must not lose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GatewayBoot } from '@gatehouse/contracts'
import { carry, createGroup, decide, grants, groups, submit, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { authorize, openSession } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory } from '../fixtures/unit.ts'

const unitStart = (secret: string, boot: Partial<GatewayBoot>): Partial<GatewayBoot> => ({
  ...boot,
  edges: { 'gateway.supervisor': secret },
})

const dev: Partial<GatewayBoot> = {
  mode: 'dev',
  adminToken: null,
  seed: 'dev-agent',
  sample: { command: 'node', args: ['sample.js'] },
}

test('--dev seeds its group, journaled, and puts the sample server into a new catalog', async () => {
  const unit = await openUnit({ boot: dev })
  const [group] = await groups(unit)
  assert.deepEqual(
    { id: group?.id, name: group?.name, agent: group?.agent, persona: group?.persona, origin: group?.origin },
    { id: 'dev-agent', name: 'dev-agent', agent: 'mock', persona: '', origin: 'seed' },
  )
  assert.deepEqual((await stages(unit)).slice(0, 2), ['start', 'seed'])
  const catalog = await unit.gateway.broker.catalog({}, context)
  assert.deepEqual(catalog[0]?.entry, { transport: 'stdio', command: 'node', args: ['sample.js'], env: {} })
  assert.deepEqual(await grants(unit), [])
  const made = await submit(unit, ['persona', 'dev-agent', { instructions: 'x' }])
  const change = await decide(unit, [made.id, 'approve'])
  assert.equal(change.principal, 'dev')
  assert.equal(change.requestedBy, 'api:dev')
  await unit.close()
  await removeDirectory(unit.dir)
})

test('--dev begins anew at each start of the unit; a gateway that died alone loses nothing', async () => {
  const first = await openUnit({ boot: unitStart('first', dev) })
  await createGroup(first, 'extra')
  await carry(first, ['persona', 'dev-agent', { instructions: 'x' }])
  await carry(first, ['mcp_access', 'dev-agent', { server: 'sample', tools: ['echo'] }])
  const held = await submit(first, ['persona', 'dev-agent', { instructions: 'y' }])
  const session = await openSession(first, 'dev-agent')
  const other = await openSession(first, 'extra')
  const before = JSON.stringify([await groups(first), await grants(first)])
  await first.drop()

  const second = await openUnit({ dir: first.dir, boot: unitStart('first', dev) })
  assert.equal(JSON.stringify([await groups(second), await grants(second)]), before)
  assert.equal((await authorize(second, session.id, ['sample', 'echo'])).allowed, true)
  await second.close()

  const third = await openUnit({ dir: first.dir, boot: unitStart('second', dev) })
  assert.deepEqual(
    (await groups(third)).map((group) => [group.id, group.persona]),
    [['dev-agent', '']],
  )
  assert.deepEqual(await grants(third), [])
  assert.deepEqual(await authorize(third, session.id, ['sample', 'echo']), {
    allowed: false,
    agentGroupID: 'dev-agent',
    code: 'not-granted',
  })
  assert.equal((await openSession(third, 'dev-agent')).id, session.id)
  assert.deepEqual(await authorize(third, other.id, ['sample', 'echo']), { allowed: false, agentGroupID: null, code: 'not-granted' })
  const pending = await third.gateway.controlPlane.pending({ token, limit: 10 }, context)
  assert.deepEqual(
    pending.items.map((change) => change.id),
    [held.id],
  )
  assert.equal((await decide(third, [held.id, 'approve'])).state, 'applied')
  await third.close()
  await removeDirectory(first.dir)
})

test('a change of a group that is gone fails with its rule', async () => {
  const first = await openUnit({ boot: unitStart('first', dev) })
  await createGroup(first, 'extra')
  const { id, digest } = await submit(first, ['persona', 'extra', { instructions: 'x' }])
  await first.close()
  const second = await openUnit({ dir: first.dir, boot: unitStart('second', dev) })
  const change = await decide(second, [id, 'approve'], { digest })
  assert.equal(change.state, 'apply_failed')
  assert.equal(change.failure?.rule, 'group-missing')
  await second.close()
  await removeDirectory(first.dir)
})

test('--demo seeds once and keeps what was approved', async () => {
  const demo: Partial<GatewayBoot> = { mode: 'demo', seed: 'mock-agent' }
  const first = await openUnit({ boot: unitStart('first', demo) })
  await carry(first, ['persona', 'mock-agent', { instructions: 'x' }])
  await first.close()
  const second = await openUnit({ dir: first.dir, boot: unitStart('second', demo) })
  assert.deepEqual(
    (await groups(second)).map((group) => [group.id, group.persona]),
    [['mock-agent', 'x']],
  )
  assert.equal((await stages(second)).filter((stage) => stage === 'seed').length, 1)
  await second.close()
  await removeDirectory(first.dir)
})

test('production seeds nothing and journals its starts and stops', async () => {
  const first = await openUnit()
  await first.close()
  const second = await openUnit({ dir: first.dir })
  assert.deepEqual(await groups(second), [])
  const lines = (await audit(second)).filter((entry) => entry.stage !== 'checkpoint')
  assert.deepEqual(
    lines.map((entry) => entry.stage),
    ['start', 'stop', 'start'],
  )
  assert.deepEqual(lines[0]?.detail, { version: '0.0.0', mode: 'production' })
  await second.close()
  await removeDirectory(first.dir)
})
