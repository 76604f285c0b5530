// Every state of a change, and every act upon it: what leads on, and what is refused without a trace.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Change, type ChangeState, changeStates, ChangeID, isServiceError, nextStep } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { createGroup, decide, fails, group, groups, read, submit, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { putServer, server } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const day = 24 * 60 * 60_000
let now = Date.now()
let made = 0
const unit = await openTestUnit({ clock: () => now })
await putServer(unit, 'sample')

const door = () => unit.gateway.controlPlane
const id = (text: string) => v.parse(ChangeID, text)

const acts = {
  approve: async (change: string) => decide(unit, [change, 'approve']),
  reject: async (change: string) => decide(unit, [change, 'reject']),
  withdraw: async (change: string) => door().withdraw({ token, id: id(change) }, context),
  retry: async (change: string) => door().retry({ token, id: id(change) }, context),
  revert: async (change: string) => door().revert({ token, id: id(change) }, context),
} as const
type Act = keyof typeof acts

const newGroup = async (): Promise<string> => {
  made += 1
  await createGroup(unit, `t${made}`)
  return `t${made}`
}

const hold = async (agentGroupID: string): Promise<string> => (await submit(unit, ['persona', agentGroupID, { instructions: 'x' }])).id

/** A change in each state. */
const makers: Readonly<Record<ChangeState, (agentGroupID: string) => Promise<string>>> = {
  held: hold,
  refused: async (agentGroupID) => {
    const error = await fails(submit(unit, ['mcp_access', agentGroupID, { server: 'absent', tools: [] }]))
    return error.extra?.['changeID'] ?? ''
  },
  rejected: async (agentGroupID) => (await acts.reject(await hold(agentGroupID))).id,
  withdrawn: async (agentGroupID) => (await acts.withdraw(await hold(agentGroupID))).id,
  expired: async (agentGroupID) => {
    const change = await hold(agentGroupID)
    now += 8 * day
    await fails(acts.approve(change))
    return change
  },
  approved: async (agentGroupID) => {
    const change = await hold(agentGroupID)
    await door().freeze({ token, agentGroupID: group(agentGroupID), reason: 'to keep it approved' }, context)
    return (await acts.approve(change)).id
  },
  applied: async (agentGroupID) => (await acts.approve(await hold(agentGroupID))).id,
  apply_failed: async (agentGroupID) => {
    await putServer(unit, 'brief')
    const { id: change } = await submit(unit, ['mcp_access', agentGroupID, { server: 'brief', tools: [] }])
    await door().removeServer({ token, name: server('brief') }, context)
    return (await acts.approve(change)).id
  },
}

/** The state that an act leads to, or the code that it is refused with. A reversal leads to another change. */
const table: Readonly<Record<ChangeState, Readonly<Record<Act, string>>>> = {
  held: { approve: 'applied', reject: 'rejected', withdraw: 'withdrawn', retry: 'conflict', revert: 'conflict' },
  refused: {
    approve: 'change-already-decided',
    reject: 'change-already-decided',
    withdraw: 'change-already-decided',
    retry: 'conflict',
    revert: 'conflict',
  },
  rejected: {
    approve: 'change-already-decided',
    reject: 'change-already-decided',
    withdraw: 'change-already-decided',
    retry: 'conflict',
    revert: 'conflict',
  },
  withdrawn: {
    approve: 'change-already-decided',
    reject: 'change-already-decided',
    withdraw: 'change-already-decided',
    retry: 'conflict',
    revert: 'conflict',
  },
  expired: {
    approve: 'change-already-decided',
    reject: 'change-already-decided',
    withdraw: 'change-already-decided',
    retry: 'conflict',
    revert: 'conflict',
  },
  approved: { approve: 'change-already-decided', reject: 'rejected', withdraw: 'withdrawn', retry: 'conflict', revert: 'conflict' },
  applied: {
    approve: 'change-already-decided',
    reject: 'change-already-decided',
    withdraw: 'change-already-decided',
    retry: 'conflict',
    revert: 'held',
  },
  apply_failed: {
    approve: 'change-already-decided',
    reject: 'rejected',
    withdraw: 'withdrawn',
    retry: 'apply_failed',
    revert: 'conflict',
  },
}

test('every state has its row', () => assert.deepEqual(Object.keys(table).toSorted(), [...changeStates].toSorted()))

const outcome = async (act: Act, change: string): Promise<string> => {
  try {
    return (await acts[act](change)).state
  } catch (error) {
    if (isServiceError(error)) return error.code
    throw error
  }
}

for (const state of changeStates) {
  for (const act of Object.keys(acts) as Act[]) {
    const expected = table[state][act]
    const refused = expected.includes('-') || expected === 'conflict'
    test(`${act} of a change that is ${state} ${refused ? `is refused with ${expected}` : `leads to ${expected}`}`, async () => {
      const change = await makers[state](await newGroup())
      assert.equal((await read(unit, change)).state, state)
      const before = JSON.stringify([await read(unit, change), await groups(unit), (await audit(unit)).length])
      assert.equal(await outcome(act, change), expected)
      if (refused) assert.equal(JSON.stringify([await read(unit, change), await groups(unit), (await audit(unit)).length]), before)
    })
  }
}

const isAct = (name: string): name is Act => name in acts

/** Acts that a text names as commands. */
const named = (hint: string): Act[] => [...hint.matchAll(/svcctl change (\w+)/g)].map(([, name = '']) => name).filter(isAct)

for (const state of changeStates) {
  for (const act of ['approve', 'reject', 'withdraw', 'retry'] as const) {
    if (!['conflict', 'change-already-decided'].includes(table[state][act])) continue
    test(`${act} of a change that is ${state} hints at what can be done, and each of it can`, async () => {
      const { hint = '' } = await fails(acts[act](await makers[state](await newGroup())))
      assert.notEqual(hint, '')
      for (const next of named(hint))
        assert.ok(!['conflict', 'change-already-decided'].includes(await outcome(next, await makers[state](await newGroup()))), next)
    })
  }
}

test('what can never be applied as it was approved is not hinted to be tried again', async () => {
  const stale = { id: 'chg_20260102030405.000000001', state: 'apply_failed', failure: { rule: 'stale', reason: 'moved' } } as Change
  assert.deepEqual(named(nextStep(stale)), ['reject'])
  assert.deepEqual(named(nextStep({ ...stale, failure: { rule: 'server-not-configured', reason: 'gone' } })), ['retry', 'reject'])
})

test('what is over says how, by whom and when', async () => {
  const expectations = [
    ['rejected', 'was rejected by alice (admin) at '],
    ['withdrawn', 'was withdrawn by api:admin (admin) at '],
    ['expired', 'was expired by gateway (gateway) at '],
    ['applied', 'was approved by alice (admin) at '],
    ['refused', 'was refused (server-not-configured) by the verifier (gateway) at '],
  ] as const
  for (const [state, words] of expectations) {
    const error = await fails(acts.approve(await makers[state](await newGroup())))
    assert.ok(error.detail.includes(words), error.detail)
    assert.equal(error.extra?.['state'], state)
  }
})

test('a withdrawal keeps who and why', async () => {
  const { id: change } = await submit(unit, ['persona', await newGroup(), { instructions: 'x' }], { requestedBy: 'cli:bob' })
  const withdrawn = await door().withdraw({ token, id: change, by: 'cli:bob', reason: 'a mistake' }, context)
  assert.deepEqual({ ...withdrawn.ended, at: '' }, { by: 'cli:bob', principal: 'admin', reason: 'a mistake', at: '' })
  const line = (await audit(unit)).findLast(({ stage }) => stage === 'withdraw')
  assert.deepEqual([line?.by, line?.detail['reason']], ['cli:bob', 'a mistake'])
})

test('what failed is retried once its cause is gone, verified anew and journaled', async () => {
  const agentGroupID = await newGroup()
  const change = await makers.apply_failed(agentGroupID)
  assert.equal((await acts.retry(change)).failure?.rule, 'server-not-configured')
  await putServer(unit, 'brief')
  const done = await door().retry({ token, id: id(change), by: 'cli:carol' }, context)
  assert.deepEqual([done.state, done.failure], ['applied', undefined])
  assert.deepEqual((await stages(unit, change)).slice(2), ['self-approved', 'apply-failed', 'retry', 'apply-failed', 'retry', 'apply'])
  const line = (await audit(unit)).findLast(({ stage }) => stage === 'retry')
  assert.equal(line?.by, 'cli:carol')
})

test('what has moved since it was approved is not applied: the rule is stale, and a retry does not help', async () => {
  const agentGroupID = await newGroup()
  const waiting = await makers.approved(agentGroupID)
  const error = await fails(acts.retry(waiting))
  assert.match(error.hint ?? '', /freeze/)
  const { id: other } = await submit(unit, ['persona', agentGroupID, { instructions: 'other' }])
  await decide(unit, [other, 'approve'])
  await door().unfreeze({ token, agentGroupID: group(agentGroupID), reason: 'enough' }, context)
  await waitFor(async () => (await read(unit, other)).state !== 'approved', { what: 'what waited to be applied' })
  const [first, second] = [await read(unit, waiting), await read(unit, other)]
  assert.deepEqual([first.state, second.state, second.failure?.rule], ['applied', 'apply_failed', 'stale'])
  assert.equal((await acts.retry(other)).failure?.rule, 'stale')
  assert.equal((await groups(unit)).find((item) => item.id === agentGroupID)?.persona, 'x')
})

test('a withdrawal by another principal is forbidden, whatever its role', async () => {
  const { id: change } = await submit(unit, ['persona', await newGroup(), { instructions: 'x' }])
  const boss = await mint(unit, { name: 'boss', role: 'admin' })
  assert.equal((await fails(async () => door().withdraw({ token: boss.token, id: change, by: 'api:admin' }, context))).code, 'forbidden')
  assert.equal((await read(unit, change)).state, 'held')
})
