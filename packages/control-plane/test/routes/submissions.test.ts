// Submissions: named attempts, trials, inverses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createTestUnit, token } from '../fixtures/unit.ts'
import { change, preview } from '../fixtures/values.ts'

const digest = sha256(token)
const submission = { kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'Be kind.' } }
const submitted = { id: change.id, state: 'held', digest: change.digest }

test('hands the name of an attempt with the digest of its body to the gateway, the same by either path', async () => {
  const { ask, named } = createTestUnit()
  const body = JSON.stringify(submission)
  for (const path of ['/v1/changes', '/v1/ui/config/change'])
    assert.equal((await ask('POST', path, { body, headers: { 'idempotency-key': 'try-1' } })).status, 202)
  const wanted = { route: 'POST /v1/changes', key: 'try-1', body: sha256(body) }
  assert.deepEqual(
    named('gateway.submit').map(({ params }) => params.idempotency),
    [wanted, wanted],
  )
})

test('says of an attempt that was made before that nothing was done again', async () => {
  const replaying = { 'gateway.submit': () => ({ ...submitted, state: 'applied', replayed: true }) }
  const again = await createTestUnit({ answers: replaying }).ask('POST', '/v1/changes', {
    body: submission,
    headers: { 'idempotency-key': 'k' },
  })
  assert.equal(again.headers.get('idempotent-replay'), 'true')
  assert.deepEqual(again.json(), { ...submitted, state: 'applied' })
  assert.equal((await createTestUnit().ask('POST', '/v1/changes', { body: submission })).headers.get('idempotent-replay'), null)
})

test('passes on that a name is taken by another body', async () => {
  const taken = (): never => {
    throw new ServiceError('conflict')
  }
  const { ask } = createTestUnit({ answers: { 'gateway.submit': taken } })
  assert.equal((await ask('POST', '/v1/changes', { body: submission, headers: { 'idempotency-key': 'k' } })).status, 409)
})

test('refuses a name of an attempt that is none', async () => {
  const { ask, named } = createTestUnit()
  for (const key of ['', 'a b', 'x'.repeat(256), '\u00e9'])
    assert.equal((await ask('POST', '/v1/changes', { body: submission, headers: { 'idempotency-key': key } })).status, 400, key)
  assert.deepEqual(named('gateway.submit'), [])
})

test('only says what would become of a submission that is tried out', async () => {
  const { ask, named } = createTestUnit()
  const answer = await ask('POST', '/v1/changes', { body: { ...submission, dryRun: true } })
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json(), preview)
  assert.deepEqual(named('gateway.preview')[0]?.params, { token: digest, submission })
  assert.deepEqual(named('gateway.submit'), [])
  assert.equal((await ask('POST', '/v1/changes', { body: { ...submission, dryRun: false } })).status, 202)
})

test('submits the inverse of a change, with and without a body', async () => {
  const { ask, named } = createTestUnit()
  const path = `/v1/changes/${change.id}/revert`
  assert.equal((await ask('POST', path)).status, 202)
  assert.deepEqual((await ask('POST', path, { body: { requestedBy: 'cli:ann', reason: 'wrong' } })).json(), submitted)
  assert.deepEqual(
    named('gateway.revert').map(({ params }) => params),
    [
      { token: digest, id: change.id },
      { token: digest, id: change.id, requestedBy: 'cli:ann', reason: 'wrong' },
    ],
  )
})
