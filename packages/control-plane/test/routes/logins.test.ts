// Logins of the unit at remote tool servers: who may begin and finish one, and what a browser may bring and is shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { createTestUnit, otherToken } from '../fixtures/unit.ts'

const login = '/v1/registry/mcp-servers/sample/login'
const callback = '/v1/oauth/callback'
const withoutToken = { headers: { authorization: null } }

test('begins and finishes a login in the name of the principal, once the gateway permits it', async () => {
  const { ask, named } = createTestUnit()
  assert.equal((await ask('POST', login)).status, 200)
  assert.equal((await ask('POST', `${login}/finish`, { body: { id: 'login' } })).status, 200)
  assert.equal((await ask('DELETE', login)).status, 200)
  assert.deepEqual(
    named('gateway.permit').flatMap(({ params }) => (params['route'] === 'server-login' ? ['server-login'] : [])),
    ['server-login', 'server-login', 'server-login'],
  )
  assert.deepEqual(named('broker.finishLogin')[0]?.params, { id: 'login', principal: 'admin' })
  await ask('POST', `${login}/finish`, { body: { id: 'login' }, headers: { authorization: `Bearer ${otherToken}` } })
  assert.deepEqual(named('broker.finishLogin')[1]?.params, { id: 'login', principal: 'other' })
})

test('begins nothing that the gateway does not permit', async () => {
  const forbidden = ({ route }: { route: string }) => {
    if (route === 'server-login') throw new ServiceError('forbidden')
    return { name: 'asker', role: 'requester' }
  }
  const { ask, named } = createTestUnit({ answers: { 'gateway.permit': forbidden } })
  assert.equal((await ask('POST', login)).status, 403)
  assert.equal((await ask('DELETE', login)).status, 403)
  assert.deepEqual([...named('broker.beginLogin'), ...named('broker.logout')], [])
})

test('sends browsers back to the public address, whatever the request says', async () => {
  const { ask, named } = createTestUnit({ boot: { publicUrls: ['https://gatehouse.example.org'] } })
  await ask('POST', login, { headers: { 'x-forwarded-host': 'evil.example.org' } })
  const { url, clientMetadataUrl } = named('broker.beginLogin')[0]?.params ?? {}
  assert.deepEqual(
    [url, clientMetadataUrl],
    ['https://gatehouse.example.org/v1/oauth/callback', 'https://gatehouse.example.org/v1/oauth/client.json'],
  )
  const client = (await ask('GET', '/v1/oauth/client.json', { headers: { authorization: null, host: 'gatehouse.example.org' } })).json()
  assert.deepEqual([client['client_id'], client['redirect_uris']], [clientMetadataUrl, [url]])
})

test('sends browsers back to nowhere while only the operator knows the address', async () => {
  const { ask, named } = createTestUnit({ boot: { host: '0.0.0.0', publicUrls: [] } })
  assert.equal((await ask('POST', login)).status, 409)
  assert.deepEqual(named('broker.beginLogin'), [])
  assert.equal((await ask('GET', '/v1/oauth/client.json', withoutToken)).status, 404)
})

test('takes what a browser brings without a token, and repeats nothing of it', async () => {
  const { ask, named } = createTestUnit()
  const answer = await ask('GET', `${callback}?state=the-state&code=the-code&iss=https%3A%2F%2Flogin.example.org&more=1`, withoutToken)
  assert.equal(answer.status, 200)
  assert.deepEqual(named('broker.answerLogin')[0]?.params, { state: 'the-state', code: 'the-code', iss: 'https://login.example.org' })
  assert.doesNotMatch(answer.text, /the-state|the-code|login\.example/)
  assert.deepEqual(
    ['content-security-policy', 'cache-control', 'referrer-policy'].map((name) => answer.headers.get(name)),
    ["default-src 'none'; frame-ancestors 'none'", 'no-store', 'no-referrer'],
  )
})

for (const [name, query] of [
  ['without a state', 'code=c'],
  ['with two states', 'state=a&state=b&code=c'],
  ['with two codes', 'state=a&code=c&code=d'],
  ['with a state longer than any', `state=${'a'.repeat(5000)}&code=c`],
] as const)
  test(`takes nothing ${name}`, async () => {
    const { ask, named } = createTestUnit()
    assert.equal((await ask('GET', `${callback}?${query}`, withoutToken)).status, 404)
    assert.deepEqual(named('broker.answerLogin'), [])
  })

test('says to a browser that no login waits for it', async () => {
  const { ask } = createTestUnit({ answers: { 'broker.answerLogin': () => ({ taken: false }) } })
  assert.equal((await ask('GET', `${callback}?state=s&code=c`, withoutToken)).status, 404)
})
