// The order of the guards: nothing is said to a caller before it has proved who it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codes, ServiceError } from '@gatehouse/contracts'
import { createTestUnit, otherToken, token } from './fixtures/unit.ts'

const withoutToken = { authorization: null }
const submission = { kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'x' } }

test('says 401 to an unknown caller before it says 403, 404, 405, 413, 415, 422 or 503', async () => {
  const { ask } = createTestUnit({ boot: { mcp: null } })
  const requests: readonly (readonly [string, string, unknown?, Record<string, string>?])[] = [
    ['GET', '/v1/nothing'],
    ['GET', '/nothing'],
    ['PATCH', '/v1/changes'],
    ['POST', '/v1/changes', 'x'.repeat(2_000_000)],
    ['POST', '/v1/changes', 'x', { 'content-type': 'text/plain' }],
    ['POST', '/v1/changes', '{'],
    ['POST', '/v1/changes', { kind: 1 }],
    ['GET', '/v1/changes/pending?limit=0'],
    ['GET', '/v1/registry/mcp-servers'],
    ['GET', '/metrics'],
  ]
  let count = 0
  for (const [method, path, body, headers] of requests) {
    for (const authorization of [null, 'Bearer wrong', 'Basic abc']) {
      const from = `192.0.2.${(count += 1)}`
      const { status } = await ask(method, path, { body, headers: { ...headers, authorization }, from })
      assert.equal(status, 401, `${method} ${path} with ${authorization}`)
    }
  }
})

test('says that the Host is wrong before it asks for a token', async () => {
  const { ask } = createTestUnit()
  const { status } = await ask('GET', '/v1/status', { headers: { host: 'evil.example', authorization: null } })
  assert.equal(status, 403)
})

test('asks no peer anything for a caller without a token', async () => {
  const { ask, calls } = createTestUnit()
  await ask('POST', '/v1/changes', { body: submission, headers: withoutToken })
  assert.deepEqual(calls, [])
})

test('answers with the same body to a missing, a malformed and a wrong token', async () => {
  const { ask } = createTestUnit()
  const bodies = []
  for (const authorization of [
    null,
    'Bearer',
    'Basic YTpi',
    'Bearer wrong',
    `Bearer ${token}x`,
    `Bearer ${token} ${otherToken}`,
    'Bearer a, Bearer b',
  ]) {
    const answer = await ask('GET', '/v1/status', { headers: { authorization, 'x-request-id': 'the-same-id' } })
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    bodies.push(answer.text)
  }
  assert.equal(new Set(bodies).size, 1)
  assert.doesNotMatch(bodies[0] ?? '', /text of the gateway/)
})

test('answers with that body also when a token ends while its request runs', async () => {
  const revoked = (): never => {
    throw new ServiceError('unauthorized', { detail: 'no principal holds this token', extra: { name: 'ann' } })
  }
  const { ask } = createTestUnit({ answers: { 'gateway.groups': revoked } })
  const headers = { 'x-request-id': 'the-same-id' }
  const late = await ask('GET', '/v1/agent-groups', { headers })
  assert.equal(late.headers.get('www-authenticate'), 'Bearer')
  assert.equal(late.text, (await ask('GET', '/v1/agent-groups', { headers: { ...headers, authorization: null } })).text)
})

test('answers every error as a problem document with the members of its row', async () => {
  const { ask } = createTestUnit()
  const answer = await ask('GET', '/v1/nothing', { headers: { 'x-request-id': 'request-0001' } })
  assert.equal(answer.headers.get('content-type'), 'application/problem+json')
  assert.deepEqual(answer.json(), {
    type: 'urn:gatehouse:error:not-found',
    title: codes['not-found'].title,
    status: 404,
    detail: 'there is no such path',
    code: 'not-found',
    requestId: 'request-0001',
  })
})

test('carries the extra members of an error of a peer, but never over those of the table', async () => {
  const extra = { changeID: 'chg_1', rule: 'server-configured', status: '200', code: 'fine' }
  const { ask } = createTestUnit({
    answers: {
      'gateway.submit': () => {
        throw new ServiceError('change-refused', { detail: 'the server is not configured', hint: 'configure it', extra })
      },
    },
  })
  const answer = await ask('POST', '/v1/changes', { body: submission })
  assert.equal(answer.status, 422)
  const { changeID, rule, status, code, hint } = answer.json()
  assert.deepEqual(
    { changeID, rule, status, code, hint },
    {
      changeID: 'chg_1',
      rule: 'server-configured',
      status: 422,
      code: 'change-refused',
      hint: 'configure it',
    },
  )
})

test('keeps the text of an unknown error to itself', async () => {
  const { ask } = createTestUnit({
    answers: {
      'gateway.groups': () => {
        throw new TypeError('secret at /home/ann/key')
      },
    },
  })
  const answer = await ask('GET', '/v1/agent-groups')
  assert.equal(answer.status, 500)
  assert.equal(answer.json().code, 'internal')
  assert.doesNotMatch(answer.text, /secret|TypeError|\/home/)
})

test('passes on what the gateway forbids', async () => {
  const { ask } = createTestUnit({
    answers: {
      'gateway.putServer': () => {
        throw new ServiceError('forbidden', { detail: 'expected the role admin, got requester' })
      },
    },
  })
  const answer = await ask('PUT', '/v1/registry/mcp-servers/sample', { body: { transport: 'stdio', command: 'x' } })
  assert.equal(answer.status, 403)
  assert.equal(answer.json().detail, 'expected the role admin, got requester')
})

test('sends no token where none was presented to an open unit, and the digest where one was', async () => {
  const { ask, named } = createTestUnit({ boot: { open: true } })
  assert.equal((await ask('GET', '/v1/agent-groups', { headers: withoutToken })).status, 200)
  assert.equal((await ask('GET', '/v1/agent-groups')).status, 200)
  assert.equal((await ask('GET', '/v1/agent-groups', { headers: { authorization: 'Bearer wrong' } })).status, 401)
  assert.deepEqual(
    named('gateway.groups').map(({ params }) => params.token === null),
    [true, false],
  )
})

test('refuses every method that a path does not have, with those that it has', async () => {
  const { ask } = createTestUnit()
  const paths = [
    ['/v1/registry/mcp-servers/sample', 'DELETE, GET, HEAD, PUT', 'POST'],
    ['/v1/changes/pending', 'GET, HEAD', 'POST'],
    ['/v1/ui/chat/send', 'POST', 'GET'],
    ['/healthz', 'GET, HEAD', 'POST'],
    ['/ui/', 'GET, HEAD', 'DELETE'],
    ['/metrics', 'GET, HEAD', 'OPTIONS'],
  ] as const
  for (const [path, allow, method] of paths) {
    const answer = await ask(method, path)
    assert.equal(answer.status, 405, path)
    assert.equal(answer.headers.get('allow'), allow)
    assert.equal(answer.json().code, 'method-not-allowed')
  }
})
