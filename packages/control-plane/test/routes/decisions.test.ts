// What may be done with a change beside a decision, and its evidence.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createTestUnit, token } from '../fixtures/unit.ts'
import { change, reach } from '../fixtures/values.ts'

const digest = sha256(token)

test('withdraws and retries, with and without a body', async () => {
  for (const [act, state, body] of [
    ['withdraw', 'withdrawn', { by: 'cli:ann', reason: 'changed my mind' }],
    ['retry', 'applied', { by: 'cli:ann' }],
  ] as const) {
    const { ask, named } = createTestUnit()
    const path = `/v1/changes/${change.id}/${act}`
    assert.equal((await ask('POST', path)).json().state, state)
    assert.equal((await ask('POST', path, { body })).status, 200)
    assert.equal((await ask('POST', path, { body: '{}' })).status, 200)
    assert.deepEqual(
      named(`gateway.${act}`).map(({ params }) => params),
      [
        { token: digest, id: change.id },
        { token: digest, id: change.id, ...body },
        { token: digest, id: change.id },
      ],
    )
  }
})

test('refuses a body that is none also where it may be left out', async () => {
  const { ask, named } = createTestUnit()
  for (const act of ['withdraw', 'retry', 'revert']) {
    const path = `/v1/changes/${change.id}/${act}`
    assert.equal((await ask('POST', path, { body: { other: 1 } })).status, 422)
    assert.equal((await ask('POST', path, { body: '{' })).status, 400)
    assert.equal((await ask('POST', path, { body: 'x', headers: { 'content-type': 'text/plain' } })).status, 415)
    assert.equal((await ask('POST', '/v1/changes/nonsense/' + act)).status, 404)
  }
  assert.ok(named('gateway.withdraw').length + named('gateway.retry').length + named('gateway.revert').length === 0)
})

test('shows what the agent of a change can do, and could do then', async () => {
  const { ask, named } = createTestUnit()
  assert.deepEqual((await ask('GET', `/v1/changes/${change.id}/reach`)).json(), reach)
  assert.equal(named('gateway.reach')[0]?.params.id, change.id)
})

test('shows the whole evidence', async () => {
  const { ask } = createTestUnit()
  assert.deepEqual((await ask('GET', `/v1/changes/${change.id}/evidence`)).json(), { evidence: { tools: [] } })
})

test('passes on why a decision is refused', async () => {
  for (const [code, status] of [
    ['self-approval', 403],
    ['change-stale', 409],
    ['digest-mismatch', 409],
    ['audit-unwritable', 503],
  ] as const) {
    const refuse = (): never => {
      throw new ServiceError(code)
    }
    const { ask } = createTestUnit({ answers: { 'gateway.decide': refuse } })
    const answer = await ask('POST', `/v1/changes/${change.id}/decision`, { body: { outcome: 'approve', decidedBy: 'ann' } })
    assert.deepEqual([answer.status, answer.json().code], [status, code])
  }
})
