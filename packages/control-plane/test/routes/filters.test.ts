// Filters of lists: handed on as they are, refused as they are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256 } from '@gatehouse/kernel'
import { createTestUnit, token } from '../fixtures/unit.ts'
import { change } from '../fixtures/values.ts'

const digest = sha256(token)
const common = {
  agentGroupID: 'dev-agent',
  kind: 'persona',
  principal: 'ann',
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-02-01T00:00:00.000Z',
}

const lists = [
  ['/v1/changes/pending', 'gateway.pending', { ...common, requestedBy: 'cli:ann' }],
  ['/v1/changes/history', 'gateway.history', { ...common, requestedBy: 'cli:ann', state: 'rejected' }],
  ['/v1/audit', 'gateway.audit', { ...common, stage: 'apply', changeID: change.id }],
] as const

test('hands every filter of a list to the gateway', async () => {
  for (const [path, call, filter] of lists) {
    const { ask, named } = createTestUnit()
    assert.equal((await ask('GET', `${path}?${new URLSearchParams(filter).toString()}&limit=7`)).status, 200)
    assert.deepEqual(named(call)[0]?.params, { token: digest, limit: 7, ...filter })
  }
})

test('refuses a filter that is none, by its name', async () => {
  for (const [path] of lists) {
    const { ask } = createTestUnit()
    const wrong = [
      'agentGroupID=A%20B',
      'kind=nothing',
      'principal=',
      'since=yesterday',
      'until=2026',
      `principal=${'x'.repeat(129)}`,
      'state=gone',
      'stage=nothing',
      'changeID=1',
      'kind=persona&kind=tools',
    ]
    for (const filter of wrong) {
      const answer = await ask('GET', `${path}?${filter}`)
      assert.equal(answer.status, 422, `${path}?${filter}`)
      assert.equal((answer.json().errors as { pointer: string }[])[0]?.pointer, `/${filter.split('=')[0]}`)
    }
  }
})
