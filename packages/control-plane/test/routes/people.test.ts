// Tokens and the emergency stop: what reaches the gateway, and what comes back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptHeader } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createTestUnit, token } from '../fixtures/unit.ts'
import { change, freeze, minted, session, token as ann } from '../fixtures/values.ts'

const digest = sha256(token)

test('lists tokens without their secrets, in pages', async () => {
  const { ask } = createTestUnit({ answers: { 'gateway.tokens': () => ({ items: [{ ...ann, name: 'bob' }, ann] }) } })
  const first = (await ask('GET', '/v1/tokens?limit=1')).json()
  assert.deepEqual(first.items, [ann])
  assert.deepEqual((await ask('GET', `/v1/tokens?limit=1&cursor=${String(first.nextCursor)}`)).json(), { items: [{ ...ann, name: 'bob' }] })
})

test('makes a token and shows its secret this once', async () => {
  const { ask, named } = createTestUnit()
  const wanted = {
    name: 'ann',
    role: 'approver',
    groups: ['dev-agent'],
    identities: [{ channel: 'slack', user: 'U1' }],
    expiresAt: '2027-01-01T00:00:00.000Z',
  }
  const answer = await ask('POST', '/v1/tokens', { body: wanted })
  assert.equal(answer.status, 201)
  assert.deepEqual(answer.json(), minted)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.deepEqual(named('gateway.createToken')[0]?.params, { token: digest, wanted })
})

test('refuses a token that is none', async () => {
  const { ask, named } = createTestUnit()
  for (const wanted of [
    { name: 'admin', role: 'admin' },
    { name: 'Ann', role: 'approver' },
    { name: 'ann', role: 'root' },
    { name: 'ann' },
    { name: 'ann', role: 'auditor', groups: [] },
    { name: 'ann', role: 'auditor', token: 'chosen' },
  ])
    assert.equal((await ask('POST', '/v1/tokens', { body: wanted })).status, 422, JSON.stringify(wanted))
  assert.deepEqual(named('gateway.createToken'), [])
})

test('revokes a token by its name', async () => {
  const { ask, named } = createTestUnit()
  assert.equal((await ask('DELETE', '/v1/tokens/ann')).status, 204)
  assert.deepEqual(named('gateway.revokeToken')[0]?.params, { token: digest, name: 'ann' })
  for (const name of ['admin', 'Ann', 'a%20b', '-x']) assert.equal((await ask('DELETE', `/v1/tokens/${name}`)).status, 404, name)
})

test('freezes the unit or a group, with a reason, and lifts it with one', async () => {
  const { ask, named } = createTestUnit()
  assert.deepEqual((await ask('POST', '/v1/freeze', { body: { reason: 'a drill' } })).json(), freeze)
  assert.equal((await ask('POST', '/v1/freeze', { body: { reason: 'a drill', agentGroupID: 'dev-agent' } })).status, 200)
  assert.equal((await ask('DELETE', '/v1/freeze?reason=it%20is%20over&agentGroupID=dev-agent')).status, 204)
  assert.deepEqual((await ask('GET', '/v1/freeze')).json(), { items: [] })
  assert.deepEqual(
    named('gateway.freeze').map(({ params }) => params.agentGroupID),
    [undefined, 'dev-agent'],
  )
  assert.deepEqual(named('gateway.unfreeze')[0]?.params, { token: digest, reason: 'it is over', agentGroupID: 'dev-agent' })
})

test('says of an act that takes power away and is on no disk yet that it is not kept, in a header and nowhere else', async () => {
  const answers = {
    'gateway.freeze': () => ({ ...freeze, kept: false }),
    'gateway.decide': () => ({ ...change, state: 'rejected', kept: false }),
    'gateway.terminate': () => ({ kept: false }),
    'gateway.revokeToken': () => ({ kept: false }),
  }
  const acts: [method: string, path: string, options?: { body: unknown }][] = [
    ['POST', '/v1/freeze', { body: { reason: 'a drill' } }],
    ['POST', `/v1/changes/${change.id}/decision`, { body: { outcome: 'reject', decidedBy: 'ann' } }],
    ['POST', `/v1/sessions/${session.id}/terminate`],
    ['DELETE', '/v1/tokens/ann'],
  ]
  const [lost, kept] = [createTestUnit({ answers }), createTestUnit()]
  for (const act of acts) {
    const answer = await lost.ask(...act)
    assert.deepEqual([answer.status < 300, answer.headers.get(keptHeader), answer.text.includes('kept')], [true, 'false', false], act[1])
    assert.equal((await kept.ask(...act)).headers.get(keptHeader), null)
  }
})

test('wants a reason for either', async () => {
  const { ask, calls } = createTestUnit()
  for (const body of [{}, { reason: '' }, { agentGroupID: 'dev-agent' }, { reason: 'x'.repeat(4097) }])
    assert.equal((await ask('POST', '/v1/freeze', { body })).status, 422)
  for (const query of ['', '?reason=', '?agentGroupID=dev-agent', '?reason=a&reason=b', '?reason=a&agentGroupID=A'])
    assert.equal((await ask('DELETE', `/v1/freeze${query}`)).status, 422, query)
  assert.ok(calls.every(({ name }) => name === 'gateway.permit'))
})
