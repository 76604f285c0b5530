// What surrounds every request: its id, its headers, its line in the metrics.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestUnit } from '../fixtures/unit.ts'

test('echoes the id of a request and hands it to every peer', async () => {
  const { ask, calls } = createTestUnit()
  const answer = await ask('GET', '/v1/agent-groups', { headers: { 'x-request-id': 'my-request-0001' } })
  assert.equal(answer.headers.get('x-request-id'), 'my-request-0001')
  assert.ok(calls.length > 1)
  for (const { requestId } of calls) assert.equal(requestId, 'my-request-0001')
})

test('makes an id where none, or none of that form, is given', async () => {
  const { ask } = createTestUnit()
  for (const id of [null, 'short', 'x'.repeat(65), 'with space 1', 'under_score', '<script>alert']) {
    const answer = await ask('GET', '/v1/nothing', { headers: { 'x-request-id': id } })
    assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
    assert.equal(answer.json().requestId, answer.headers.get('x-request-id'))
  }
})

test('tells browsers and proxies to keep no answer and to guess no type', async () => {
  const { ask } = createTestUnit()
  for (const path of ['/v1/status', '/v1/nothing', '/healthz']) {
    const { headers } = await ask('GET', path)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('access-control-allow-origin'), null)
  }
})

test('counts requests by the pattern of their route', async () => {
  const { ask, unit } = createTestUnit()
  await ask('GET', '/v1/changes/chg_20260102030405.678000000')
  await ask('GET', '/v1/changes/pending')
  await ask('GET', '/v1/changes/other', { headers: { authorization: null } })
  await ask('GET', '/ui/pages/a')
  await ask('GET', '/v1/nothing-at-all')
  await ask('PROPFIND', '/v1/status')
  const { values } = await unit.metrics.counter('http_requests_total').get()
  const counts = values.filter(({ value }) => value > 0)
  assert.deepEqual(counts.map(({ labels, value }) => `${labels.route} ${labels.method} ${labels.status} ${value}`).toSorted(), [
    '/ui/{path} GET 200 1',
    '/v1/changes/pending GET 200 1',
    '/v1/changes/{id} GET 200 1',
    '/v1/changes/{id} GET 401 1',
    '/v1/status other 405 1',
    'none GET 404 1',
  ])
})
