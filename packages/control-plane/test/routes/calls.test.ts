// Records of tool lists and calls, read back from the broker for whom the gateway lets read them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestUnit } from '../fixtures/unit.ts'
import { record } from '../fixtures/values.ts'

const filter = {
  agentGroupID: 'dev-agent',
  session: record.session,
  server: 'sample',
  tool: 'echo',
  op: 'call',
  status: 'refused',
  code: 'not-granted',
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-02-01T00:00:00.000Z',
}

test('hands every filter to the broker, after the gateway let it pass', async () => {
  const { ask, named } = createTestUnit()
  const answer = await ask('GET', `/v1/audit/calls?${new URLSearchParams(filter).toString()}&limit=7&cursor=Mi4w`)
  assert.deepEqual(answer.json(), { items: [record] })
  assert.deepEqual(named('broker.records')[0]?.params, { ...filter, limit: 7, cursor: 'Mi4w' })
  assert.equal(named('gateway.permit').at(-1)?.params['route'], 'calls')
})

test('shows a token of some groups the records of theirs alone', async () => {
  const groups = ['dev-agent']
  const { ask, named } = createTestUnit({ answers: { 'gateway.permit': () => ({ name: 'ann', role: 'auditor', groups }) } })
  assert.equal((await ask('GET', '/v1/audit/calls')).status, 200)
  assert.deepEqual(named('broker.records')[0]?.params, { groups, limit: 50 })
})

test('refuses a filter that is none, by its name, and asks nobody', async () => {
  const { ask, named } = createTestUnit()
  const wrong = [
    'agentGroupID=A%20B',
    'session=1',
    'server=',
    'op=both',
    'status=fine',
    'code=1',
    'since=yesterday',
    'tool=',
    'kind=persona',
    'limit=0',
  ]
  for (const text of wrong) {
    const answer = await ask('GET', `/v1/audit/calls?${text}`)
    assert.equal(answer.status, 422, text)
    assert.equal((answer.json().errors as { pointer: string }[])[0]?.pointer, `/${text.split('=')[0]}`)
  }
  assert.deepEqual(named('broker.records'), [])
})

test('says that a unit without tool servers has no such records', async () => {
  const { ask } = createTestUnit({ boot: { mcp: null } })
  const answer = await ask('GET', '/v1/audit/calls')
  assert.deepEqual([answer.status, answer.json().code], [503, 'mcp-disabled'])
})
