// Tool servers: the catalog of the gateway joined with the states of the broker.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createTestUnit, entry, token } from '../fixtures/unit.ts'
import { declared, named as row, probe, serverLogs } from '../fixtures/values.ts'

const digest = sha256(token)
const servers = '/v1/registry/mcp-servers'
const state = { status: 'up', tools: 2 }
const throwing = (code: 'unavailable' | 'not-found' | 'forbidden') => (): never => {
  throw new ServiceError(code)
}

test('lists entries with the states that the broker sees', async () => {
  const { ask } = createTestUnit()
  assert.deepEqual((await ask('GET', servers)).json(), { items: [{ ...row, state }] })
  assert.deepEqual((await ask('GET', `${servers}/sample`)).json(), { ...row, state })
})

test('lists entries without states while the broker is down', async () => {
  const { ask } = createTestUnit({ answers: { 'broker.states': throwing('unavailable') } })
  assert.deepEqual((await ask('GET', servers)).json(), { items: [row] })
  assert.deepEqual((await ask('GET', `${servers}/sample`)).json(), row)
})

test('shows the tools as they were last listed, and asks the broker for nothing', async () => {
  const { ask, calls } = createTestUnit()
  assert.deepEqual((await ask('GET', `${servers}/sample/tools`)).json(), declared)
  assert.deepEqual(
    calls.map(({ name }) => name).filter((name) => name.startsWith('broker')),
    [],
  )
  assert.equal((await ask('GET', `${servers}/a__b/tools`)).status, 404)
})

test('answers 201 to a new entry and 200 to a replaced one', async () => {
  const { ask, named } = createTestUnit()
  const created = await ask('PUT', `${servers}/sample`, { body: entry })
  assert.equal(created.status, 201)
  assert.deepEqual(created.json(), { ...row, grants: [{ agentGroupID: 'dev-agent', server: 'sample' }] })
  assert.deepEqual(named('gateway.putServer')[0]?.params, { token: digest, name: 'sample', entry })
  const again = createTestUnit({ answers: { 'gateway.putServer': () => ({ ...row, created: false, grants: [] }) } })
  assert.equal((await again.ask('PUT', `${servers}/sample`, { body: entry })).status, 200)
})

test('refuses an entry under a name that is none', async () => {
  const { ask, named } = createTestUnit()
  for (const name of ['a__b', '-a', 'x'.repeat(65), 'a b', '%2e%2e%2fx']) {
    const answer = await ask('PUT', `${servers}/${encodeURIComponent(name)}`, { body: entry })
    assert.equal(answer.status, 422, name)
    assert.equal((answer.json().errors as { pointer: string }[])[0]?.pointer, '/name')
  }
  assert.deepEqual(named('gateway.putServer'), [])
})

test('finds nothing under a name that is none', async () => {
  const { ask } = createTestUnit()
  assert.equal((await ask('GET', `${servers}/a__b`)).status, 404)
  assert.equal((await ask('DELETE', `${servers}/a__b`)).status, 404)
  assert.equal((await ask('POST', `${servers}/a__b/probe`)).status, 404)
})

test('removes an entry', async () => {
  const { ask, named } = createTestUnit()
  const answer = await ask('DELETE', `${servers}/sample`)
  assert.equal(answer.status, 204)
  assert.equal(answer.text, '')
  assert.deepEqual(named('gateway.removeServer')[0]?.params, { token: digest, name: 'sample' })
})

test('probes only what the gateway permits and knows', async () => {
  const { ask, calls } = createTestUnit()
  assert.deepEqual((await ask('POST', `${servers}/sample/probe`)).json(), probe)
  assert.deepEqual(
    calls.map(({ name, params }) => [name, params.route]),
    [
      ['gateway.permit', 'status'],
      ['gateway.permit', 'probe'],
      ['gateway.server', undefined],
      ['broker.probe', undefined],
    ],
  )
  const unknown = createTestUnit({ answers: { 'gateway.server': throwing('not-found') } })
  assert.equal((await unknown.ask('POST', `${servers}/sample/probe`)).status, 404)
  assert.deepEqual(unknown.named('broker.probe'), [])
})

test('shows what a server wrote to those who may see it alone', async () => {
  const { ask, calls, named } = createTestUnit()
  assert.deepEqual((await ask('GET', `${servers}/sample/logs?after=3`)).json(), serverLogs)
  assert.deepEqual(named('broker.logs')[0]?.params, { name: 'sample', after: 3, limit: 200 })
  assert.ok(calls.some(({ name, params }) => name === 'gateway.permit' && params.route === 'logs'))
  assert.equal((await ask('GET', `${servers}/sample/logs?limit=0`)).status, 422)
  const other = createTestUnit({
    answers: {
      'gateway.permit': ({ route }: { route: string }) => (route === 'logs' ? throwing('forbidden')() : { name: 'a', role: 'auditor' }),
    },
  })
  assert.equal((await other.ask('GET', `${servers}/sample/logs`)).status, 403)
  assert.deepEqual(other.named('broker.logs'), [])
})

test('does not probe for those who may not', async () => {
  const { ask, named } = createTestUnit({
    answers: {
      'gateway.permit': ({ route }: { route: string }) => (route === 'probe' ? throwing('forbidden')() : { name: 'a', role: 'auditor' }),
    },
  })
  assert.equal((await ask('POST', `${servers}/sample/probe`)).status, 403)
  assert.deepEqual(named('broker.probe'), [])
})

test('says 502 when the tool server fails', async () => {
  const { ask } = createTestUnit({
    answers: {
      'broker.probe': () => {
        throw new ServiceError('upstream-failed', { detail: 'the server ended with exit code 1' })
      },
    },
  })
  assert.equal((await ask('POST', `${servers}/sample/probe`)).status, 502)
})

test('says mcp-disabled on every route of a unit without tool servers', async () => {
  const { ask, calls } = createTestUnit({ boot: { mcp: null } })
  const requests = [
    ['GET', servers],
    ['GET', `${servers}/sample`],
    ['PUT', `${servers}/sample`],
    ['PUT', `${servers}/BAD`],
    ['DELETE', `${servers}/sample`],
    ['POST', `${servers}/sample/probe`],
    ['GET', `${servers}/sample/logs`],
  ] as const
  for (const [method, path] of requests) {
    const answer = await ask(method, path, method === 'PUT' ? { body: entry } : {})
    assert.equal(answer.status, 503, `${method} ${path}`)
    assert.equal(answer.json().code, 'mcp-disabled')
  }
  assert.ok(calls.every(({ name }) => name === 'gateway.permit'))
})
