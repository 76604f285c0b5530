// Changes: what reaches the gateway, and what comes back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createTestUnit, token } from '../fixtures/unit.ts'
import { change, changeView } from '../fixtures/values.ts'

const digest = sha256(token)
const submission = { kind: 'persona', agentGroupID: 'dev-agent', requestedBy: 'cli:ann', after: { instructions: 'Be kind.' } }

test('submits a change by either path and answers 202 with id, state and digest', async () => {
  for (const path of ['/v1/ui/config/change', '/v1/changes']) {
    const { ask, named } = createTestUnit()
    const answer = await ask('POST', path, { body: submission })
    assert.equal(answer.status, 202)
    assert.deepEqual(answer.json(), { id: change.id, state: 'held', digest: change.digest })
    assert.deepEqual(named('gateway.submit')[0]?.params, { token: digest, submission })
  }
})

test('leaves an absent requestedBy to the gateway', async () => {
  const { ask, named } = createTestUnit()
  const { requestedBy: _, ...anonymous } = submission
  await ask('POST', '/v1/changes', { body: anonymous })
  assert.deepEqual(named('gateway.submit')[0]?.params.submission, anonymous)
})

test('refuses a submission with an unknown or a missing member', async () => {
  const { ask, named } = createTestUnit()
  const { after: _, ...withoutAfter } = submission
  for (const body of [{ ...submission, before: {} }, withoutAfter, [], 'text', null]) {
    const answer = await ask('POST', '/v1/changes', { body: JSON.stringify(body) })
    assert.equal(answer.status, 422)
    assert.equal(answer.json().code, 'invalid')
  }
  assert.deepEqual(named('gateway.submit'), [])
})

test('hands pages of pending changes, history and journal through', async () => {
  const lists = [
    ['/v1/changes/pending', 'gateway.pending'],
    ['/v1/changes/history', 'gateway.history'],
    ['/v1/audit', 'gateway.audit'],
  ] as const
  for (const [path, call] of lists) {
    const { ask, named } = createTestUnit()
    assert.equal((await ask('GET', path)).status, 200)
    assert.equal((await ask('GET', `${path}?limit=200&cursor=abc`)).status, 200)
    assert.deepEqual(
      named(call).map(({ params }) => params),
      [
        { token: digest, limit: 50 },
        { token: digest, limit: 200, cursor: 'abc' },
      ],
    )
  }
})

test('refuses a page that is none', async () => {
  const { ask, named } = createTestUnit()
  for (const path of ['/v1/changes/pending', '/v1/changes/history', '/v1/audit', '/v1/agent-groups', '/v1/grants']) {
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=-1',
      'limit=1.5',
      'limit=ten',
      'limit=',
      'limit=1&limit=2',
      'cursor=',
      'offset=3',
      `cursor=${'x'.repeat(513)}`,
    ]) {
      const answer = await ask('GET', `${path}?${query}`)
      assert.equal(answer.status, 422, `${path}?${query}`)
      assert.match((answer.json().errors as { pointer: string }[])[0]?.pointer ?? '', /^\/(?:limit|cursor|offset)$/)
    }
  }
  assert.deepEqual(named('gateway.pending'), [])
})

test('shows one change, and nothing for an id that is none', async () => {
  const { ask, named } = createTestUnit()
  assert.deepEqual((await ask('GET', `/v1/changes/${change.id}`)).json(), changeView)
  for (const id of ['chg_1', 'nonsense', '%00', 'chg_20260102030405.6780000000', '..%2f..']) {
    const answer = await ask('GET', `/v1/changes/${id}`)
    assert.equal(answer.status, 404, id)
    assert.equal(answer.json().code, 'not-found')
  }
  assert.equal(named('gateway.change').length, 1)
})

test('hands a decision with its digest to the gateway', async () => {
  const { ask, named } = createTestUnit()
  const body = { outcome: 'approve', decidedBy: 'ann', reason: 'fine', digest: change.digest }
  const answer = await ask('POST', `/v1/changes/${change.id}/decision`, { body })
  assert.equal(answer.status, 200)
  assert.equal(answer.json().state, 'applied')
  assert.deepEqual(named('gateway.decide')[0]?.params, { token: digest, id: change.id, ...body })
})

test('refuses a decision that is none', async () => {
  const { ask, named } = createTestUnit()
  for (const body of [
    { outcome: 'maybe', decidedBy: 'ann' },
    { outcome: 'approve' },
    { outcome: 'approve', decidedBy: '' },
    { outcome: 'approve', decidedBy: 'ann', digest: 'AB' },
  ]) {
    assert.equal((await ask('POST', `/v1/changes/${change.id}/decision`, { body })).status, 422)
  }
  assert.equal((await ask('POST', '/v1/changes/nonsense/decision', { body: { outcome: 'approve', decidedBy: 'ann' } })).status, 404)
  assert.deepEqual(named('gateway.decide'), [])
})

test('answers a second decision with what the gateway says', async () => {
  const { ask } = createTestUnit({
    answers: {
      'gateway.decide': () => {
        throw new ServiceError('change-already-decided', { detail: 'rejected by ann' })
      },
    },
  })
  const answer = await ask('POST', `/v1/changes/${change.id}/decision`, { body: { outcome: 'approve', decidedBy: 'bob' } })
  assert.equal(answer.status, 409)
  assert.equal(answer.json().code, 'change-already-decided')
})
