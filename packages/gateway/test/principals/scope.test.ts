// A token of some groups: the rest of the unit is not there for it, whatever its role.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AgentGroupID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { mint, type Person } from '../fixtures/crowd.ts'
import { fails, group, groups, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { type RowName, rows, type There } from './calls.ts'
import { ask, furnishGroup } from './sweep.ts'

const names = Object.keys(rows) as RowName[]
const outside = 'zz-theirs'
let unit: Unit
let mine: There
let theirs: There
let scoped: Person

before(async () => {
  unit = await openUnit()
  await putServer(unit, 'sample')
  mine = await furnishGroup(unit, 'mine')
  theirs = await furnishGroup(unit, outside)
  scoped = await mint(unit, { name: 'scoped', role: 'admin', groups: [v.parse(AgentGroupID, 'mine')] })
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

/** What could be changed, but for what is counted. */
const everything = async (): Promise<string> => {
  const { controlPlane, runner } = unit.gateway
  return JSON.stringify([
    await groups(unit),
    await controlPlane.pending({ token, limit: 200 }, context),
    await controlPlane.history({ token, limit: 200 }, context),
    await controlPlane.freezes({ token }, context),
    await controlPlane.servers({ token }, context),
    await runner.sessions({}, context),
    (await audit(unit)).map(({ seq, stage }) => [seq, stage]),
  ])
}

for (const name of names) {
  const expected = rows[name].elsewhere
  test(`a token of another group gets ${expected === 'answer' ? 'an answer without the group' : expected} from ${name}`, async () => {
    const before = await everything()
    const { code, answer } = await ask(unit, name, { token: scoped.token, there: theirs })
    if (expected === 'answer') {
      assert.equal(code, undefined)
      assert.ok(!JSON.stringify(answer).includes(outside), JSON.stringify(answer))
    } else assert.equal(code, expected)
    assert.equal(await everything(), before)
  })
}

test('a filter by a group outside finds nothing', async () => {
  const { controlPlane } = unit.gateway
  const params = { token: scoped.token, limit: 200, agentGroupID: group(outside) }
  for (const name of ['pending', 'history', 'audit'] as const) assert.deepEqual((await controlPlane[name](params, context)).items, [], name)
  for (const name of ['grants', 'wirings'] as const) {
    const outcome = await controlPlane[name]({ token: scoped.token, agentGroupID: group(outside) }, context)
    assert.deepEqual(outcome.items, [], name)
  }
})

test('within its groups it sees and does what its role allows', async () => {
  const { controlPlane } = unit.gateway
  const seen = await controlPlane.groups({ token: scoped.token }, context)
  assert.deepEqual(
    seen.items.map(({ id }) => id),
    ['mine'],
  )
  assert.equal((await scoped.read(mine.held)).id, mine.held)
  assert.equal((await scoped.decide(mine.held, 'approve')).state, 'applied')
  const frozen = await controlPlane.freeze({ token: scoped.token, agentGroupID: group('mine'), reason: 'x' }, context)
  assert.equal(frozen.by, 'scoped')
  await controlPlane.unfreeze({ token: scoped.token, agentGroupID: group('mine'), reason: 'y' }, context)
  const principal = await controlPlane.permit({ token: scoped.token, route: 'chat', agentGroupID: group('mine') }, context)
  assert.deepEqual(principal, { name: 'scoped', role: 'admin', groups: ['mine'] })
})

test('a route to a group must name it, and the unit is not its to stop', async () => {
  const { controlPlane } = unit.gateway
  for (const route of ['chat', 'cancel', 'resume', 'logs', 'files', 'files-put', 'files-remove', 'purge'] as const) {
    assert.equal((await fails(controlPlane.permit({ token: scoped.token, route }, context) as Promise<unknown>)).code, 'forbidden', route)
  }
  for (const name of ['freeze', 'unfreeze'] as const) {
    assert.equal((await fails(controlPlane[name]({ token: scoped.token, reason: 'x' }, context) as Promise<unknown>)).code, 'forbidden')
  }
})

test('it may ask for a new tool server, but approves none: the catalog is everybody’s', async () => {
  const wanted = { name: 'fresh', transport: 'stdio', command: '/bin/cat' }
  const asked = await unit.gateway.controlPlane.submit(
    { token, submission: { kind: 'mcp_register', agentGroupID: 'mine', after: wanted } },
    context,
  )
  assert.equal((await fails(scoped.decide(asked.id, 'approve'))).code, 'forbidden')
  assert.equal((await scoped.decide(asked.id, 'reject')).state, 'rejected')
})

test('a permit that changes something is journaled with its principal and its group', async () => {
  const boss = await mint(unit, { name: 'boss', role: 'admin' })
  const { controlPlane } = unit.gateway
  const before = (await stages(unit)).length
  for (const route of ['resume', 'purge'] as const)
    await controlPlane.permit({ token: boss.token, route, session: mine.session as never }, context)
  await controlPlane.permit({ token: boss.token, route: 'backup' }, context)
  const file = { place: 'workspace', path: 'in/report.md', bytes: 5, digest: 'ab'.repeat(32) } as const
  await controlPlane.permit({ token: boss.token, route: 'files-put', agentGroupID: group('mine'), file }, context)
  const removed = { place: 'memory', path: 'out/\u202eold\n', kind: 'link' } as const
  await controlPlane.permit({ token: boss.token, route: 'files-remove', agentGroupID: group('mine'), file: removed }, context)
  await controlPlane.permit({ token: boss.token, route: 'chat', agentGroupID: group('mine') }, context)
  const lines = (await audit(unit)).slice(before)
  assert.deepEqual(
    lines.map(({ stage, principal, agentGroupID, detail }) => ({ stage, principal, agentGroupID, detail })),
    [
      { stage: 'resume', principal: 'boss', agentGroupID: 'mine', detail: { session: mine.session } },
      { stage: 'purge', principal: 'boss', agentGroupID: 'mine', detail: { session: mine.session } },
      { stage: 'backup', principal: 'boss', agentGroupID: undefined, detail: {} },
      { stage: 'files-put', principal: 'boss', agentGroupID: 'mine', detail: file },
      { stage: 'files-remove', principal: 'boss', agentGroupID: 'mine', detail: removed },
    ],
  )
})

test('a permit for what is not there is refused', async () => {
  const { controlPlane } = unit.gateway
  const asked = [
    { agentGroupID: group('nobody') },
    { session: 'ses_aaaaaaaaaaaaa' as never },
    { session: mine.session as never, agentGroupID: group(outside) },
  ]
  for (const place of asked) {
    const error = await fails(controlPlane.permit({ token, route: 'chat', ...place }, context) as Promise<unknown>)
    assert.equal(error.code, 'not-found')
  }
})
