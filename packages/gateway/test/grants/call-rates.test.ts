// The approved calls per minute of a group, where they act: at the verdict over each call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carry, createGroup, grants, group, token } from '../fixtures/people.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { list, tool } from '../fixtures/listing.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

let elapsed = 0
const unit = await openTestUnit({ elapsed: () => elapsed })
await putServer(unit, 'sample')
await putServer(unit, 'other')

const limit = (id: string, callsPerMinute: number) => carry(unit, ['permissions', id, { limits: { callsPerMinute } }])
const withGrants = async (id: string): Promise<string> => {
  await createGroup(unit, id)
  for (const server of ['sample', 'other']) {
    await list(unit, server, [tool('echo')])
    await carry(unit, ['mcp_access', id, { server, tools: ['echo'] }])
  }
  return (await openSession(unit, id)).id
}
const call = async (session: string, server = 'sample') => {
  const verdict = await authorize(unit, session, [server, 'echo'])
  return verdict.allowed ? 'allowed' : `${verdict.code} ${verdict.retryAfter}`
}
const calls = (session: string, count: number) => Promise.all(Array.from({ length: count }, () => call(session)))
const refusals = async (): Promise<number> => {
  const metrics = (await unit.metrics.json()) as { name: string; values: { labels: { limit: string }; value: number }[] }[]
  const metric = metrics.find(({ name }) => name === 'gatehouse_group_limit_reached_total')
  return metric?.values.find(({ labels }) => labels.limit === 'callsPerMinute')?.value ?? NaN
}

test('of 20 calls at once a group that may make 5 a minute is allowed 5; the others are told when to try again, and counted', async () => {
  const session = await withGrants('five')
  await limit('five', 5)
  const before = await refusals()
  const answers = await calls(session, 20)
  assert.equal(answers.filter((answer) => answer === 'allowed').length, 5)
  assert.equal(answers.filter((answer) => answer === 'rate-limited 60').length, 15)
  assert.equal(await refusals(), before + 15)
  elapsed += 59_000
  assert.equal(await call(session), 'rate-limited 1')
  elapsed += 1_000
  assert.deepEqual(new Set(await calls(session, 5)), new Set(['allowed']))
  assert.equal(await call(session), 'rate-limited 60')
})

test('counts the calls of all sessions and all servers of the group together, and those of no other group', async () => {
  const one = await withGrants('shared')
  const two = (await openSession(unit, 'shared', 'c2')).id
  const stranger = await withGrants('stranger')
  await limit('shared', 2)
  assert.deepEqual([await call(one), await call(two, 'other'), await call(one, 'other')], ['allowed', 'allowed', 'rate-limited 60'])
  assert.deepEqual(new Set(await calls(stranger, 20)), new Set(['allowed']))
})

test('a new limit acts from its approval on: raised at once, and lowered against what was called before', async () => {
  const session = await withGrants('live')
  await limit('live', 3)
  await calls(session, 4)
  await limit('live', 5)
  assert.deepEqual(await calls(session, 3), ['allowed', 'allowed', 'rate-limited 60'])
  await limit('live', 2)
  elapsed += 60_000
  assert.deepEqual(await calls(session, 3), ['allowed', 'allowed', 'rate-limited 60'])
})

test('a refused call uses up neither the limit nor the calls of the grant', async () => {
  const session = await withGrants('spared')
  await limit('spared', 1)
  await calls(session, 10)
  assert.equal((await grants(unit)).find(({ agentGroupID, server }) => agentGroupID === 'spared' && server === 'sample')?.calls, 1)
  assert.equal((await authorize(unit, session, ['sample', 'absent'])).allowed, false)
  elapsed += 60_000
  assert.equal(await call(session), 'allowed')
})

test('a group that is created under the id of a removed one has made no calls', async () => {
  const session = await withGrants('reborn')
  await limit('reborn', 2)
  await calls(session, 2)
  await carry(unit, ['agent_remove', 'reborn', {}])
  const again = await withGrants('reborn')
  await limit('reborn', 2)
  assert.deepEqual(await calls(again, 3), ['allowed', 'allowed', 'rate-limited 60'])
})

test('explain names the limit and when the next call may be made', async () => {
  const session = await withGrants('asked')
  await limit('asked', 1)
  await call(session)
  const { allowed, code, summary } = await unit.gateway.controlPlane.explain(
    { token, agentGroupID: group('asked'), tool: 'sample__echo' },
    context,
  )
  assert.deepEqual([allowed, code], [false, 'rate-limited'])
  assert.match(summary, /1 call per minute and has used them all: the next one is allowed in 60 s/)
})
