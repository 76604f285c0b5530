// Bad input: each kind answers its own code, as a problem document, and changes nothing.
import assert from 'node:assert/strict'
import { request as rawRequest } from 'node:http'
import { after, before, test } from 'node:test'
import { request } from '../src/http.ts'
import { startUnit, type Unit } from '../src/unit.ts'

const token = 'd'.repeat(64)
const bearer = { authorization: `Bearer ${token}` }
const json = { ...bearer, 'content-type': 'application/json' }
let unit: Unit

before(async () => {
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off'], env: { SERVICE_API_TOKEN: token }, token })
})
after(() => unit.dispose())

const change = (parts: object): RequestInit => ({
  method: 'POST',
  headers: json,
  body: JSON.stringify({ kind: 'persona', agentGroupID: 'dev-agent', requestedBy: 'cli:tester', after: { instructions: 'x' }, ...parts }),
})
const put = (entry: object): RequestInit => ({ method: 'PUT', headers: json, body: JSON.stringify(entry) })
const config = '/v1/ui/config/change'
const server = '/v1/registry/mcp-servers/other'

const rows: readonly (readonly [string, string, RequestInit, number, string])[] = [
  ['an unknown kind', config, change({ kind: 'sudo' }), 422, 'invalid'],
  ['an unknown field', config, change({ approved: true }), 422, 'invalid'],
  ['an unknown field of after', config, change({ after: { instructions: 'x', admin: true } }), 422, 'invalid'],
  ['an unknown group', config, change({ agentGroupID: 'nobody' }), 404, 'not-found'],
  ['an unconfigured server', config, change({ kind: 'mcp_access', after: { server: 'ghost', tools: [] } }), 422, 'change-refused'],
  ['an http url to a remote host', server, put({ transport: 'http', url: 'http://example.com/mcp' }), 422, 'invalid'],
  ['a transport that disagrees with the fields', server, put({ transport: 'stdio', url: 'https://example.com' }), 422, 'invalid'],
  [
    'a server name with the separator',
    '/v1/registry/mcp-servers/a__b',
    put({ transport: 'http', url: 'https://example.com' }),
    422,
    'invalid',
  ],
  ['malformed JSON', config, { method: 'POST', headers: json, body: '{"kind":' }, 400, 'malformed'],
  [
    'a body that is too large',
    config,
    { method: 'POST', headers: json, body: JSON.stringify({ text: 'x'.repeat(1_100_000) }) },
    413,
    'too-large',
  ],
  ['a wrong method', config, { method: 'DELETE', headers: bearer }, 405, 'method-not-allowed'],
  [
    'a wrong media type',
    config,
    { method: 'POST', headers: { ...bearer, 'content-type': 'text/plain' }, body: '{}' },
    415,
    'unsupported-media-type',
  ],
  ['an unknown path', '/v1/nothing', { headers: bearer }, 404, 'not-found'],
  ['an unknown change', '/v1/changes/chg_20260101000000.000000000', { headers: bearer }, 404, 'not-found'],
  ['an id that is none', '/v1/changes/everything', { headers: bearer }, 404, 'not-found'],
  [
    'an empty message',
    '/v1/ui/chat/send',
    { method: 'POST', headers: json, body: JSON.stringify({ agentGroupID: 'dev-agent', text: '' }) },
    422,
    'invalid',
  ],
  [
    'a message to an unknown group',
    '/v1/ui/chat/send',
    { method: 'POST', headers: json, body: JSON.stringify({ agentGroupID: 'nobody', text: 'x' }) },
    404,
    'not-found',
  ],
]

const everything = async (): Promise<string> => {
  const [groups, grants, servers, pending] = await Promise.all([
    unit.client.groups.list(),
    unit.client.grants.list(),
    unit.client.servers.list(),
    unit.client.changes.pending(),
  ])
  return JSON.stringify({ groups, grants, servers: servers.items.map(({ name, entry }) => ({ name, entry })), pending })
}

for (const [what, path, init, status, code] of rows) {
  test(`${what} is ${status} ${code}, and nothing changes`, async () => {
    const before = await everything()
    const answer = await request(`${unit.address}${path}`, init)
    assert.equal(answer.status, status, answer.text)
    assert.equal(answer.json?.['code'], code)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
    assert.equal(answer.headers.get('x-request-id'), answer.json?.['requestId'])
    assert.equal(await everything(), before)
  })
}

test('a missing and a wrong token get the same answer', async () => {
  const answers = await Promise.all([
    request(`${unit.address}/v1/status`, { headers: { 'x-request-id': 'same-request-id' } }),
    request(`${unit.address}/v1/status`, { headers: { 'x-request-id': 'same-request-id', authorization: `Bearer ${'e'.repeat(64)}` } }),
    request(`${unit.address}/v1/status`, { headers: { 'x-request-id': 'same-request-id', authorization: 'Basic abc' } }),
    request(`${unit.address}/v1/nothing`, { headers: { 'x-request-id': 'same-request-id' } }),
  ])
  for (const answer of answers) {
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    assert.equal(answer.text, answers[0]?.text)
  }
})

test('probes need no token, metrics do', async () => {
  const health = await request(`${unit.address}/healthz`)
  assert.deepEqual([health.status, health.text], [200, 'ok'])
  assert.match(health.headers.get('content-type') ?? '', /^text\/plain/)
  assert.equal((await request(`${unit.address}/readyz`)).status, 200)
  assert.equal((await request(`${unit.address}/metrics`)).status, 401)
  const metrics = await request(`${unit.address}/metrics`, { headers: bearer })
  assert.equal(metrics.status, 200)
  for (const name of [
    'gatehouse_gateway_held_changes',
    'gatehouse_process_up',
    'gatehouse_sandbox_live',
    'gatehouse_broker_requests_total',
  ]) {
    assert.match(metrics.text, new RegExp(`^# TYPE ${name} `, 'm'))
  }
})

test('a second decision is refused with who decided', async () => {
  const submitted = await request(`${unit.address}${config}`, change({ after: { instructions: 'Be brief.' } }))
  const decision = `${unit.address}/v1/changes/${String(submitted.json?.['id'])}/decision`
  const decide = (outcome: string, decidedBy: string) =>
    request(decision, { method: 'POST', headers: json, body: JSON.stringify({ outcome, decidedBy }) })
  assert.equal((await decide('reject', 'ada')).status, 200)
  const second = await decide('approve', 'bob')
  assert.equal(second.status, 409)
  assert.equal(second.json?.['code'], 'change-already-decided')
  assert.match(second.text, /ada/)
})

const status = (headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    rawRequest(`${unit.address}/v1/status`, { headers: { ...bearer, ...headers } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })

test('a foreign Host or Origin is refused', async () => {
  assert.equal(await status({}), 200)
  assert.equal(await status({ host: `localhost:${unit.port}` }), 200)
  for (const host of [
    'evil.example',
    `evil.example:${unit.port}`,
    '127.0.0.1:1',
    `127.0.0.1.evil.example:${unit.port}`,
    `localhost.:${unit.port}`,
  ]) {
    assert.equal(await status({ host }), 403, host)
  }
  assert.equal(await status({ origin: 'https://evil.example' }), 403)
})
