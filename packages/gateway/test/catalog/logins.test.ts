// Entries that ask for a login: what is refused, what an approver reads, and what the journal holds of a login.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Digest, ServerName } from '@gatehouse/contracts'
import { createGroup, fails, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit()

const entry = (auth: object, headers: object = {}) => ({ transport: 'http', url: 'https://tools.example/mcp', headers, auth })
const credentials = {
  type: 'oauth',
  grant: 'client_credentials',
  clientID: 'unit',
  clientSecret: '${SECRET}',
  issuer: 'https://login.example',
}
const login = {
  server: 'far' as ServerName,
  principal: 'alice',
  grant: 'authorization_code',
  issuer: 'https://login.example',
  token: 'a'.repeat(64) as Digest,
} as const

const refused: readonly [string, object][] = [
  ['a secret that is written down', entry({ ...credentials, clientSecret: 'a-secret' })],
  ['a secret that is a part of a value', entry({ ...credentials, clientSecret: 'x${SECRET}' })],
  ['a secret for any issuer', entry({ ...credentials, issuer: undefined })],
  ['credentials without a client', entry({ type: 'oauth', grant: 'client_credentials' })],
  ['an issuer in clear text', entry({ ...credentials, issuer: 'http://login.example' })],
  ['a scope that is two', entry({ type: 'oauth', scopes: ['read write'] })],
  ['another way to log in', entry({ type: 'basic' })],
  ['a header that the login sets', entry({ type: 'oauth' }, { authorization: 'Bearer x' })],
]
for (const [name, wrong] of refused)
  test(`refuses an entry with ${name}`, async () => {
    assert.equal((await fails(putServer(unit, 'wrong', wrong))).code, 'invalid')
  })

test('an approver reads who logs in where, for what, and with which secret', async () => {
  await createGroup(unit, 'a')
  const sends = async (auth: object): Promise<unknown> => {
    const submission = { kind: 'mcp_register', agentGroupID: 'a', after: { name: 'new', ...entry(auth) } }
    return (await unit.gateway.controlPlane.preview({ token, submission }, context)).evidence?.['sends']
  }
  assert.deepEqual(await sends({ type: 'oauth' }), [
    'lets an admin log in at the authorization server that tools.example names, asks for whatever scopes the server wants, and sends the token to tools.example',
  ])
  assert.deepEqual(await sends({ ...credentials, scopes: ['read'] }), [
    'sends the value of SECRET to login.example',
    'logs in by itself at login.example, asks for the scopes read at most, and sends the token to tools.example',
  ])
})

test('journals a login and its end by the digest of the token, in the name of the principal', async () => {
  await putServer(unit, 'far', entry({ type: 'oauth' }))
  await unit.gateway.broker.loggedIn({ ...login, scopes: ['read'] }, context)
  await unit.gateway.broker.loggedOut({ ...login, principal: undefined, cause: 'refused' }, context)
  const lines = (await audit(unit)).filter(({ stage }) => stage.startsWith('server-log'))
  const { principal: _, ...known } = login
  assert.deepEqual(
    lines.map(({ stage, edge, principal, detail }) => ({ stage, edge, principal, detail })),
    [
      { stage: 'server-login', edge: 'broker', principal: 'alice', detail: { ...known, scopes: ['read'] } },
      { stage: 'server-logout', edge: 'broker', principal: 'broker', detail: { ...known, cause: 'refused' } },
    ],
  )
})

test('takes no login for an entry that asks for none', async () => {
  await putServer(unit, 'plain', { transport: 'http', url: 'https://tools.example/mcp' })
  const told = async () => unit.gateway.broker.loggedIn({ ...login, server: 'plain' as ServerName, scopes: [] }, context)
  assert.equal((await fails(told)).code, 'conflict')
})
