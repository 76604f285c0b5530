// A token that is narrowed to groups: what lies outside does not exist for it, whoever holds the data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { scoped } from '../fixtures/journal.ts'
import { createTestUnit } from '../fixtures/unit.ts'

const narrow = { 'gateway.permit': () => scoped(['mine']) }

test('sees the sessions of its groups alone', async () => {
  for (const [query, agentGroupIDs] of [
    ['', ['mine']],
    ['?agentGroupID=mine', ['mine']],
    ['?agentGroupID=theirs', []],
  ] as const) {
    const { ask, named } = createTestUnit({ answers: narrow })
    assert.equal((await ask('GET', `/v1/sessions${query}`)).status, 200)
    assert.deepEqual(named('runner.sessions')[0]?.params, { limit: 50, agentGroupIDs })
  }
})

test('neither sends to another group nor reads from it', async () => {
  const { ask, calls } = createTestUnit({ answers: narrow })
  assert.equal((await ask('POST', '/v1/ui/chat/send', { body: { agentGroupID: 'theirs', text: 'x' } })).status, 404)
  assert.equal((await ask('GET', '/v1/ui/chat/theirs/messages')).status, 404)
  assert.equal((await ask('POST', '/v1/ui/chat/send', { body: { agentGroupID: 'mine', text: 'x' } })).status, 202)
  assert.deepEqual(
    calls.filter(({ name }) => name.startsWith('runner.')).map(({ params }) => params.agentGroupID),
    ['mine'],
  )
})

test('reads in the status who it is and which groups it has', async () => {
  const { ask } = createTestUnit({ answers: narrow })
  assert.deepEqual((await ask('GET', '/v1/status')).json().principal, { name: 'narrow', role: 'auditor', groups: ['mine'] })
})

test('passes on that a group is unknown to it, at every list that is filtered by one', async () => {
  const unknown = (): never => {
    throw new ServiceError('not-found')
  }
  const calls = ['pending', 'history', 'audit', 'wirings', 'grants', 'explain', 'group']
  const { ask } = createTestUnit({ answers: Object.fromEntries(calls.map((call) => [`gateway.${call}`, unknown])) })
  const paths = ['changes/pending', 'changes/history', 'audit', 'wirings', 'grants'].map((list) => `/v1/${list}?agentGroupID=theirs`)
  for (const path of [...paths, '/v1/explain?agentGroupID=theirs&tool=a__b', '/v1/agent-groups/theirs'])
    assert.equal((await ask('GET', path)).status, 404, path)
})
