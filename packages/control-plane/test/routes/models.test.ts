// Models as people read them: providers, what was taken, records; narrowed like everything else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoped } from '../fixtures/journal.ts'
import { createTestUnit } from '../fixtures/unit.ts'
import { check, modelCall, models } from '../fixtures/values.ts'

test('lists the providers with what was spent, and the records of requests by filter', async () => {
  const { ask, named } = createTestUnit()
  assert.deepEqual((await ask('GET', '/v1/models')).json(), models)
  const query = 'agentGroupID=dev-agent&provider=anthropic&outcome=ok&limit=7&cursor=1-0&since=2026-01-01T00:00:00Z'
  assert.deepEqual((await ask('GET', `/v1/audit/model-calls?${query}`)).json(), { items: [modelCall], nextCursor: '1-0' })
  const params = {
    agentGroupIDs: ['dev-agent'],
    provider: 'anthropic',
    outcome: 'ok',
    limit: 7,
    cursor: '1-0',
    since: '2026-01-01T00:00:00Z',
  }
  assert.deepEqual(named('model-proxy.records')[0]?.params, params)
  for (const wrong of ['provider=nobody', 'outcome=perhaps', 'limit=0', 'session=x', 'anything=1'])
    assert.equal((await ask('GET', `/v1/audit/model-calls?${wrong}`)).status, 422, wrong)
})

test('a token of some groups sees what those took, and no other record', async () => {
  const { ask, named } = createTestUnit({ answers: { 'gateway.permit': () => scoped(['mine']) } })
  assert.deepEqual((await ask('GET', '/v1/models')).json().spending, [])
  await ask('GET', '/v1/audit/model-calls')
  await ask('GET', '/v1/audit/model-calls?agentGroupID=theirs')
  assert.deepEqual(
    named('model-proxy.records').map(({ params }) => params.agentGroupIDs),
    [['mine'], []],
  )
})

test('asks a provider on demand, with the permission of a probe', async () => {
  const { ask, named } = createTestUnit()
  assert.deepEqual((await ask('POST', '/v1/models/anthropic/check')).json(), check)
  assert.ok(named('gateway.permit').some(({ params }) => params.route === 'probe'))
  assert.equal((await ask('POST', '/v1/models/nobody/check')).status, 404)
})

test('a unit without a key for any provider lists none', async () => {
  const { ask } = createTestUnit({ boot: { models: false } })
  assert.deepEqual((await ask('GET', '/v1/models')).json(), { items: [], spending: [] })
  assert.deepEqual((await ask('GET', '/v1/audit/model-calls')).json(), { items: [] })
  assert.equal((await ask('POST', '/v1/models/anthropic/check')).status, 404)
})
