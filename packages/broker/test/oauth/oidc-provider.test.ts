// The same logins with `oidc-provider`, an authorization server that many run: each grant, rotation, expiry, revocation, restart.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Bench, createBench, sessionOne } from '../fixtures/bench.ts'
import type { ServerName } from '@gatehouse/contracts'
import { type OidcProvider, startOidcProvider } from '../fixtures/oidc-provider.ts'
import { ProtectedServer } from '../fixtures/protected-server.ts'

const secret = 'a-client-secret-of-the-provider'
const client = {
  client_id: 'the-unit',
  client_secret: secret,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
}
const url = 'http://127.0.0.1:8787/v1/oauth/callback'
const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
const variables = { CLIENT_SECRET: secret }
const name = 'tracker' as ServerName

let bench: Bench
let provider: OidcProvider
let server: ProtectedServer
beforeEach(async () => {
  provider = await startOidcProvider({ clients: [client] })
  const judge = async (token: string) => ((await provider.isGood(token, server.url)) ? ('good' as const) : ('unknown' as const))
  server = await ProtectedServer.start({ issuer: provider.issuer, scopes: ['read', 'write'], judge })
  bench = await createBench()
  bench.gateway.grants = { [sessionOne]: { tracker: [] } }
})
afterEach(async () => {
  await bench.stop()
  await Promise.all([provider.close(), server.close()])
})

const start = async (auth: object): Promise<void> => {
  bench.gateway.catalog = { tracker: { transport: 'http', url: server.url, headers: {}, auth } }
  await bench.start({ variables })
}
const restart = async (): Promise<void> => {
  await bench.broker.stop()
  await bench.start({ variables })
}
const hello = async () => JSON.stringify((await bench.call('tracker__hello')).content)
const login = async (): Promise<void> => {
  const begun = await bench.broker.controlPlane.beginLogin({ name, principal: 'admin', url }, context)
  const back = Object.fromEntries((await provider.agree(begun.url)).searchParams)
  const { state = '', code = '', iss = '' } = back
  assert.equal((await bench.broker.controlPlane.answerLogin({ state, code, iss }, context)).taken, true)
  assert.equal((await bench.broker.controlPlane.finishLogin({ id: begun.id, principal: 'admin' }, context)).status, 'done')
}
const last = (): string => server.tokens.at(-1) ?? ''

test('logs in by itself with client credentials, and again where the token has expired in a conversation', async () => {
  await start({
    type: 'oauth',
    grant: 'client_credentials',
    clientID: 'the-unit',
    clientSecret: '${CLIENT_SECRET}',
    issuer: provider.issuer,
  })
  assert.match(await hello(), /hello/)
  const first = last()
  await provider.expire(first)
  assert.match(await hello(), /hello/)
  assert.notEqual(last(), first)
})

test('registers itself, logs in by a code, renews what expired, survives a restart, and is refused after a revocation', async () => {
  await start({ type: 'oauth' })
  await login()
  assert.match(await hello(), /hello/)
  const first = last()
  await provider.expire(first)
  assert.match(await hello(), /hello/)
  const second = last()
  assert.notEqual(second, first)
  await restart()
  assert.match(await hello(), /hello/)
  await provider.expire(last())
  assert.match(await hello(), /hello/)
  const { revoked } = await bench.broker.controlPlane.logout({ name, principal: 'admin' }, context)
  assert.equal(revoked, true)
  assert.equal(await provider.isGood(last(), server.url), false)
  assert.match(await hello(), /needs login/)
})

test('a client secret that the provider does not know is refused, and says so to the operator alone', async () => {
  await start({
    type: 'oauth',
    grant: 'client_credentials',
    clientID: 'the-unit',
    clientSecret: '${WRONG_SECRET}',
    issuer: provider.issuer,
  })
  await bench.broker.stop()
  await bench.start({ variables: { WRONG_SECRET: 'a-client-secret-of-somebody-else' } })
  assert.match(await hello(), /cannot be used now/)
  const state = (await bench.broker.controlPlane.states({}, context))['tracker']
  assert.match(state?.lastError ?? '', /refused the client of the entry/)
})
