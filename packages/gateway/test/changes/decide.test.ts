// Exactly one decision counts, and what was approved is what is applied.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { carry, createGroup, decide, fails, grants, groups, read, submit, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { putServer, server } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit()
await putServer(unit, 'sample')

const personaOf = async (id: string): Promise<string | undefined> => (await groups(unit)).find((group) => group.id === id)?.persona

test('of fifty deciders one wins, and the others learn who did', async () => {
  await createGroup(unit, 'raced')
  const { id } = await submit(unit, ['persona', 'raced', { instructions: 'once' }])
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) => decide(unit, [id, index % 2 === 0 ? 'approve' : 'reject'], { decidedBy: `person-${index}` })),
  )
  const winners = results.filter((result) => result.status === 'fulfilled')
  assert.equal(winners.length, 1)
  const winner = winners[0]?.value.decisions[0]
  const losers = results.flatMap((result) => (result.status === 'rejected' && isServiceError(result.reason) ? [result.reason] : []))
  assert.equal(losers.length, 49)
  for (const error of losers) {
    assert.equal(error.code, 'change-already-decided')
    assert.ok(error.detail.includes(winner?.by ?? '') && error.detail.includes(winner?.at ?? ''), error.detail)
  }
  assert.equal((await stages(unit, id)).filter((stage) => stage === 'approve' || stage === 'reject').length, 1)
  assert.equal((await read(unit, id)).decisions.length, 1)
})

test('refuses a digest that is not that of the change, and keeps it held', async () => {
  await createGroup(unit, 'digested')
  const { id, digest } = await submit(unit, ['persona', 'digested', { instructions: 'x' }])
  const error = await fails(decide(unit, [id, 'approve'], { digest: '0'.repeat(64) }))
  assert.equal(error.code, 'digest-mismatch')
  assert.equal(error.extra?.['digest'], digest)
  assert.equal((await read(unit, id)).state, 'held')
  assert.equal((await decide(unit, [id, 'approve'], { digest })).state, 'applied')
})

test('an approval of what is no longer there is refused, and shows the new diff', async () => {
  await createGroup(unit, 'moved')
  const first = await submit(unit, ['persona', 'moved', { instructions: 'first' }])
  await carry(unit, ['persona', 'moved', { instructions: 'second' }])
  const error = await fails(decide(unit, [first.id, 'approve'], { digest: first.digest }))
  assert.equal(error.code, 'change-stale')
  const shown = await read(unit, first.id)
  assert.equal(shown.state, 'held')
  assert.deepEqual(shown.before, { instructions: 'second' })
  assert.equal(shown.digest, error.extra?.['digest'])
  assert.equal((await fails(decide(unit, [first.id, 'approve'], { digest: first.digest }))).code, 'digest-mismatch')
  assert.equal((await decide(unit, [first.id, 'approve'], { digest: shown.digest })).state, 'applied')
  assert.equal(await personaOf('moved'), 'first')
})

test('an approval without a digest is judged on what is there now, and journaled as rebased', async () => {
  await createGroup(unit, 'rebased')
  const first = await submit(unit, ['persona', 'rebased', { instructions: 'first' }])
  await carry(unit, ['persona', 'rebased', { instructions: 'second' }])
  const change = await decide(unit, [first.id, 'approve'])
  assert.equal(change.state, 'applied')
  assert.deepEqual(change.before, { instructions: 'second' })
  assert.equal(change.decisions[0]?.digest, change.digest)
  assert.deepEqual(await stages(unit, first.id), ['submit', 'rebased', 'approve', 'self-approved', 'apply'])
})

test('a change of another slice makes nothing stale', async () => {
  await createGroup(unit, 'slices')
  const first = await submit(unit, ['persona', 'slices', { instructions: 'x' }])
  await carry(unit, ['mcp_access', 'slices', { server: 'sample', tools: ['echo'] }])
  assert.equal((await decide(unit, [first.id, 'approve'], { digest: first.digest })).state, 'applied')
})

test('a stale change may be rejected by its digest', async () => {
  await createGroup(unit, 'thrown')
  const first = await submit(unit, ['persona', 'thrown', { instructions: 'x' }])
  await carry(unit, ['persona', 'thrown', { instructions: 'y' }])
  assert.equal((await decide(unit, [first.id, 'reject'], { digest: first.digest })).state, 'rejected')
})

test('what the verifier refuses at apply fails with its rule, and changes nothing', async () => {
  await createGroup(unit, 'gone')
  await putServer(unit, 'brief')
  const { id } = await submit(unit, ['mcp_access', 'gone', { server: 'brief', tools: [] }])
  await unit.gateway.controlPlane.removeServer({ token, name: server('brief') }, context)
  const change = await decide(unit, [id, 'approve'])
  assert.equal(change.state, 'apply_failed')
  assert.equal(change.failure?.rule, 'server-not-configured')
  assert.deepEqual(
    (await grants(unit)).filter((grant) => grant.agentGroupID === 'gone'),
    [],
  )
  assert.deepEqual((await stages(unit, id)).slice(-2), ['self-approved', 'apply-failed'])
})

test('two groups of one id: the second approval fails and the first group stays', async () => {
  const one = await submit(unit, ['agent_create', 'twice', { id: 'twice', name: 'one', agent: 'mock' }])
  const two = await submit(unit, ['agent_create', 'twice', { id: 'twice', name: 'two', agent: 'mock' }])
  await decide(unit, [one.id, 'approve'])
  const change = await decide(unit, [two.id, 'approve'])
  assert.equal(change.failure?.rule, 'group-exists')
  assert.equal((await groups(unit)).find((group) => group.id === 'twice')?.name, 'one')
})

test('fifty submits and decisions at once end with one line each, in the order of the journal', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, index) => createGroup(unit, `many-${index}`)))
  const lines = (await audit(unit)).filter((entry) => entry.agentGroupID?.startsWith('many-'))
  assert.equal(lines.length, 200)
  assert.equal((await groups(unit)).filter((group) => group.id.startsWith('many-')).length, 50)
})

test('a list of a thousand tools against another is compared in no time', async () => {
  await createGroup(unit, 'wide')
  const names = (prefix: string) => Array.from({ length: 1000 }, (_, index) => `${prefix}-${index}`)
  await carry(unit, ['mcp_access', 'wide', { server: 'sample', tools: names('a') }])
  const { id } = await submit(unit, ['mcp_access', 'wide', { server: 'sample', tools: names('b') }])
  assert.equal((await read(unit, id)).diff.length, 2000)
})
