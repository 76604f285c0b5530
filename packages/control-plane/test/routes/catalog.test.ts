// Entity tags of catalog entries: what a writer saw is what it writes over.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { createTestUnit, entry, type Options } from '../fixtures/unit.ts'
import { named as row } from '../fixtures/values.ts'

const path = '/v1/registry/mcp-servers/sample'
const other = 'ef'.repeat(32)
const missing = (): never => {
  throw new ServiceError('not-found')
}

test('gives the tag of an entry, and nothing to one who holds it', async () => {
  const { ask } = createTestUnit()
  const shown = await ask('GET', path)
  assert.equal(shown.headers.get('etag'), `"${row.tag}"`)
  for (const held of [`"${row.tag}"`, `W/"${row.tag}"`, `"x", "${row.tag}"`, '*']) {
    const answer = await ask('GET', path, { headers: { 'if-none-match': held } })
    assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', `"${row.tag}"`], held)
  }
  for (const held of [`"${other}"`, '"x"', `"${row.tag}x"`])
    assert.equal((await ask('GET', path, { headers: { 'if-none-match': held } })).status, 200, held)
})

const conditionOf = async (method: 'PUT' | 'DELETE', headers: Record<string, string>, options: Options = {}) => {
  const { ask, named } = createTestUnit(options)
  const { status } = await ask(method, path, { headers, ...(method === 'PUT' && { body: entry }) })
  const call = named(method === 'PUT' ? 'gateway.putServer' : 'gateway.removeServer')[0]
  return [status < 300 ? 'done' : status, call === undefined ? 'not asked' : call.params.ifMatch] as const
}

test('hands the condition of a write to the gateway', async () => {
  for (const method of ['PUT', 'DELETE'] as const) {
    assert.deepEqual(await conditionOf(method, {}), ['done', undefined])
    assert.deepEqual(await conditionOf(method, { 'if-match': `"${other}"` }), ['done', other])
    assert.deepEqual(await conditionOf(method, { 'if-match': '*' }), ['done', row.tag])
    assert.deepEqual(await conditionOf(method, { 'if-match': `"${other}", "${row.tag}"` }), ['done', row.tag])
  }
  assert.deepEqual(await conditionOf('PUT', { 'if-none-match': '*' }), ['done', null])
})

test('refuses a condition that no entry can meet, and asks for no write', async () => {
  for (const method of ['PUT', 'DELETE'] as const) {
    for (const tags of ['"x"', `W/"${row.tag}"`, `"${other}", "x"`])
      assert.deepEqual(await conditionOf(method, { 'if-match': tags }), [412, 'not asked'], tags)
    assert.deepEqual(await conditionOf(method, { 'if-match': '*' }, { answers: { 'gateway.server': missing } }), [412, 'not asked'])
  }
})

test('refuses a condition that is none as malformed', async () => {
  for (const headers of [
    { 'if-match': row.tag },
    { 'if-match': '' },
    { 'if-match': '"a" "b"' },
    { 'if-none-match': `"${row.tag}"` },
    { 'if-match': '*', 'if-none-match': '*' },
  ])
    assert.deepEqual(await conditionOf('PUT', headers as Record<string, string>), [400, 'not asked'], JSON.stringify(headers))
  assert.equal((await createTestUnit().ask('GET', path, { headers: { 'if-none-match': 'x' } })).status, 400)
})

test('passes on that an entry has moved', async () => {
  const moved = (): never => {
    throw new ServiceError('precondition-failed')
  }
  const { ask } = createTestUnit({ answers: { 'gateway.putServer': moved } })
  const answer = await ask('PUT', path, { body: entry, headers: { 'if-match': `"${other}"` } })
  assert.deepEqual([answer.status, answer.json().code], [412, 'precondition-failed'])
})

test('answers a write with the new tag and the grants that rest on another server now', async () => {
  const answer = await createTestUnit().ask('PUT', path, { body: entry })
  assert.equal(answer.headers.get('etag'), `"${row.tag}"`)
  assert.deepEqual(answer.json().grants, [{ agentGroupID: 'dev-agent', server: 'sample' }])
})

test('has the catalog file read again', async () => {
  const { ask, named } = createTestUnit()
  assert.deepEqual((await ask('POST', '/v1/registry/reload')).json(), { added: ['sample'], changed: [], removed: [], grants: [] })
  assert.equal(named('gateway.reload').length, 1)
  assert.equal((await createTestUnit({ boot: { mcp: null } }).ask('POST', '/v1/registry/reload')).status, 503)
})
