// Why a call is allowed or not, and what has become of a grant, in words for people.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { list, tool } from '../fixtures/listing.ts'
import { carry, createGroup, fails, group, token } from '../fixtures/people.ts'
import { authorize, openSession, putServer, server } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const start = Date.UTC(2026, 10, 21)
let now = start
const unit = await openTestUnit({ clock: () => now })
await createGroup(unit, 'a')

const explain = async (name: string, id = 'a') => unit.gateway.controlPlane.explain({ token, agentGroupID: group(id), tool: name }, context)
const grantOf = async (name: string) =>
  (await unit.gateway.controlPlane.grants({ token, agentGroupID: group('a') }, context)).items.find((grant) => grant.server === name)!

const allow = async (name: string, more: Record<string, unknown> = {}): Promise<void> => {
  await putServer(unit, name)
  await list(unit, name, [tool('echo'), tool('add')])
  await carry(unit, ['mcp_access', 'a', { server: name, tools: ['echo', 'late'], ...more }])
}
const order = ['freeze', 'grant', 'state', 'expiry', 'calls', 'tool', 'definition', 'rate', 'server', 'declared']

test('names every check of an allowed call in its order, with the grant', async () => {
  await allow('fine')
  const { allowed, code, summary, steps, grant } = await explain('fine__echo')
  assert.deepEqual([allowed, code], [true, undefined])
  assert.deepEqual(
    steps.map(({ check, passed }) => [check, passed]),
    order.map((check) => [check, true]),
  )
  assert.equal(summary, 'A call of fine__echo by a is allowed.')
  assert.equal(grant?.server, 'fine')
})

const ends: readonly [what: string, name: string, check: string, code: string, act: () => Promise<unknown>][] = [
  ['no grant', 'none', 'grant', 'not-granted', () => putServer(unit, 'none')],
  ['a name without a server', '', 'grant', 'not-granted', async () => undefined],
  [
    'a revoked grant',
    'revoked',
    'state',
    'revoked',
    async () => (await allow('revoked'), carry(unit, ['mcp_revoke', 'a', { server: 'revoked' }])),
  ],
  [
    'an expired grant',
    'over',
    'expiry',
    'revoked',
    async () => {
      await allow('over', { expiresAt: new Date(now + 1000).toISOString() })
      now += 2000
    },
  ],
  [
    'a used-up grant',
    'spent',
    'calls',
    'revoked',
    async () => {
      await allow('spent', { maxCalls: 1 })
      await authorize(unit, (await openSession(unit, 'a')).id, ['spent', 'echo'])
    },
  ],
  ['a tool that the grant does not name', 'unnamed', 'tool', 'not-granted', () => carryAdd()],
  [
    'a changed definition',
    'changed',
    'definition',
    'definition-changed',
    async () => (await allow('changed'), list(unit, 'changed', [tool('echo', { description: 'x' })])),
  ],
  [
    'a tool that the server does not declare',
    'undeclared',
    'declared',
    'not-declared',
    async () => (await allow('undeclared'), list(unit, 'undeclared', [])),
  ],
  [
    'a server that was taken away',
    'away',
    'server',
    'server-unavailable',
    async () => (await allow('away'), unit.gateway.controlPlane.removeServer({ token, name: server('away') }, context)),
  ],
]

const carryAdd = async (): Promise<void> => {
  await putServer(unit, 'unnamed')
  await list(unit, 'unnamed', [tool('echo'), tool('add')])
  await carry(unit, ['mcp_access', 'a', { server: 'unnamed', tools: ['add'] }])
}

for (const [what, name, check, code, act] of ends) {
  test(`ends at ${what}, and says so in one sentence`, async () => {
    await act()
    const { allowed, code: said, summary, steps } = await explain(name === '' ? 'echo' : `${name}__echo`)
    assert.deepEqual([allowed, said], [false, code])
    assert.deepEqual(
      steps.map((step) => step.check),
      order.slice(0, order.indexOf(check) + 1),
    )
    assert.deepEqual([steps.at(-1)?.passed, steps.slice(0, -1).every(({ passed }) => passed)], [false, true])
    assert.match(summary, /^A call of .+ by a is refused \([a-z-]+\): [^.]+\.?.*\.$/)
    assert.ok(!summary.includes('\n'))
  })
}

test('agrees with the verdict over the same call', async () => {
  const { id } = await openSession(unit, 'a')
  for (const [, name] of ends.filter(([, each]) => !['', 'undeclared', 'away'].includes(each))) {
    const verdict = await authorize(unit, id, [name, 'echo'])
    const explained = await explain(`${name}__echo`)
    assert.deepEqual([explained.allowed, explained.code], [verdict.allowed, verdict.allowed ? undefined : verdict.code], name)
  }
})

test('says that a freeze stops everything, and by whom', async () => {
  await allow('frozen')
  await unit.gateway.controlPlane.freeze({ token, reason: 'a test' }, context)
  const { code, summary, steps } = await explain('frozen__echo')
  assert.deepEqual([code, steps.length], ['frozen', 1])
  assert.match(summary, /the unit was frozen at .+ by admin/)
  await unit.gateway.controlPlane.unfreeze({ token, reason: 'over' }, context)
  assert.equal((await explain('frozen__echo')).allowed, true)
})

test('shows hostile names escaped', async () => {
  const { summary } = await explain('fine__e\u202echo')
  assert.ok(!summary.includes('\u202e'))
})

test('knows no group that does not exist', async () => {
  assert.equal((await fails(explain('fine__echo', 'nobody'))).code, 'not-found')
})

test('counts no call by explaining it', async () => {
  await allow('uncounted', { maxCalls: 1 })
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await explain('uncounted__echo')).allowed, true)
  assert.equal((await grantOf('uncounted')).calls, 0)
})

test('a list of one group has no grant of another', async () => {
  await createGroup(unit, 'b')
  await carry(unit, ['mcp_access', 'b', { server: 'fine', tools: ['echo'] }])
  const all = (await unit.gateway.controlPlane.grants({ token }, context)).items
  const ofB = (await unit.gateway.controlPlane.grants({ token, agentGroupID: group('b') }, context)).items
  assert.deepEqual([ofB.length, ofB[0]?.agentGroupID], [1, 'b'])
  assert.ok(all.length > 1)
})

test('a grant shows its calls, its end, its changes', async () => {
  const { calls, expired, exhausted, serverChanged, changed, added } = await grantOf('spent')
  assert.deepEqual([calls, expired, exhausted, serverChanged, changed, added], [1, false, true, false, [], []])
  assert.equal((await grantOf('over')).expired, true)
  assert.deepEqual((await grantOf('changed')).changed, ['echo'])
})
