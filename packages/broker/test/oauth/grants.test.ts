// Remote servers that want tokens: each grant, from the entry to the call, and what is kept of it.
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { sha256 } from '@gatehouse/kernel'
import { byCredentials, LoginBench } from '../fixtures/logging-in.ts'

let all: LoginBench
beforeEach(async () => {
  all = await LoginBench.create()
})
afterEach(() => all.close())

const needsLogin = async (): Promise<number | undefined> => {
  const metrics = (await all.bench.metrics.json()) as { name: string; values: { value: number }[] }[]
  return metrics.find(({ name }) => name.endsWith('broker_upstream_needs_login'))?.values[0]?.value
}

test('asks no server for metadata, and sends no token, where the entry asks for no login', async () => {
  await all.start(undefined)
  assert.equal((await all.hello()).code, 'server-unavailable')
  assert.deepEqual([all.server.tokens, all.authority.paths], [[], []])
  assert.ok(all.server.paths.every((path) => path === '/mcp'))
})

test('logs in by itself with the credentials of its client, journals it once, and uses the token again after a restart', async () => {
  await all.start(byCredentials(all.authority.issuer))
  assert.deepEqual(await all.hello(), { text: 'hello', code: undefined })
  const [request] = all.authority.tokenRequests
  assert.equal(request?.form.get('resource'), all.server.url)
  await all.restart()
  assert.equal((await all.hello()).text, 'hello')
  assert.equal(all.authority.tokenRequests.length, 1)
  const [token = ''] = all.authority.access.keys()
  assert.deepEqual(all.bench.gateway.logins, [
    { server: 'tracker', grant: 'client_credentials', issuer: all.authority.issuer, scopes: [], token: sha256(token) },
  ])
})

test('gets another token by itself where its own is refused in the middle of a conversation', async () => {
  await all.start(byCredentials(all.authority.issuer))
  await all.hello()
  all.authority.access.clear()
  assert.equal((await all.hello()).text, 'hello')
  assert.equal(all.authority.tokenRequests.length, 2)
  assert.equal(all.bench.gateway.logins.length, 1)
})

test('says that a server needs login until an admin has logged in, and then uses it at once', async () => {
  await all.start({ type: 'oauth' })
  assert.equal((await all.state())?.status, 'needs-login')
  assert.equal(await needsLogin(), 1)
  const refused = await all.hello()
  assert.equal(refused.code, 'server-unavailable')
  assert.match(refused.text, /needs login; the call was not made/)
  await all.login()
  assert.equal((await all.hello()).text, 'hello')
  assert.equal((await all.state())?.status, 'up')
  assert.equal(await needsLogin(), 0)
  const [login] = all.bench.gateway.logins
  assert.deepEqual([login?.principal, login?.grant, login?.issuer], ['admin', 'authorization_code', all.authority.issuer])
})

test('asks for a code with PKCE, for this server, to come back to the unit', async () => {
  await all.start({ type: 'oauth', scopes: ['read', 'write'] })
  const { url } = await all.begin()
  const query = Object.fromEntries(url.searchParams)
  assert.deepEqual(
    [query['response_type'], query['code_challenge_method'], query['resource'], query['redirect_uri'], query['scope']],
    ['code', 'S256', all.server.url, all.callback, 'read write'],
  )
  assert.deepEqual(all.authority.registrations, [
    {
      client_name: 'Gatehouse',
      redirect_uris: [all.callback],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  ])
})

test('names itself by its metadata document where the authorization server reads one', async () => {
  all.authority.metadata = { client_id_metadata_document_supported: true }
  await all.start({ type: 'oauth' })
  const clientMetadataUrl = 'https://gatehouse.example.org/v1/oauth/client.json'
  const { url } = await all.bench.broker.controlPlane.beginLogin(
    { name: all.name, principal: 'admin', url: all.callback, clientMetadataUrl },
    { requestId: 'r', traceparent: undefined, signal: new AbortController().signal },
  )
  assert.equal(new URL(url).searchParams.get('client_id'), clientMetadataUrl)
  assert.deepEqual(all.authority.registrations, [])
})

test('renews a token that is refused in a call once for all callers, keeps the rotated ones, and makes each call once', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  await all.hello()
  all.authority.access.clear()
  const answers = await Promise.all([all.hello(), all.hello(), all.hello()])
  assert.deepEqual(
    answers.map(({ text }) => text),
    ['hello', 'hello', 'hello'],
  )
  const refreshes = all.authority.tokenRequests.filter(({ form }) => form.get('grant_type') === 'refresh_token')
  assert.equal(refreshes.length, 1)
  assert.deepEqual([refreshes[0]?.form.get('resource'), all.authority.refresh.size], [all.server.url, 1])
  await all.restart()
  all.authority.access.clear()
  assert.equal((await all.hello()).text, 'hello')
})

test('needs login again where the authorization server refuses to renew, and journals the end', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  await all.hello()
  all.authority.access.clear()
  all.authority.refresh.clear()
  assert.match((await all.hello()).text, /needs login/)
  assert.equal((await all.state())?.status, 'needs-login')
  assert.deepEqual(
    all.bench.gateway.logouts.map(({ cause }) => cause),
    ['refused'],
  )
  await all.login()
  assert.equal((await all.hello()).text, 'hello')
})

test('keeps the login where the authorization server is only down, and goes on when it is back', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  await all.hello()
  all.authority.access.clear()
  all.authority.instead = (_, response) => (response.writeHead(503).end(), true)
  assert.equal((await all.hello()).code, 'server-unavailable')
  assert.deepEqual(all.bench.gateway.logouts, [])
  all.authority.instead = undefined
  await all.restart()
  assert.equal((await all.hello()).text, 'hello')
})

test('ends a login that is asked to end, revokes its tokens, and forgets them', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  await all.hello()
  const [access = ''] = all.authority.access.keys()
  const [refresh = ''] = all.authority.refresh.keys()
  assert.equal(await all.logout(), true)
  assert.deepEqual(all.authority.revoked.toSorted(), [access, refresh].toSorted())
  assert.match((await all.hello()).text, /needs login/)
  assert.deepEqual(
    all.bench.gateway.logouts.map(({ cause, principal }) => [cause, principal]),
    [['asked', 'admin']],
  )
  await all.restart()
  assert.equal((await all.state())?.status, 'needs-login')
})

test('ends a login whose entry is another one, and one whose entry is gone', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  await all.setEntry({ type: 'oauth', scopes: ['read'] })
  assert.equal((await all.state())?.status, 'needs-login')
  await all.login()
  await all.setEntry(undefined)
  assert.deepEqual(
    all.bench.gateway.logouts.map(({ cause }) => cause),
    ['entry-changed', 'entry-changed'],
  )
  assert.equal(await readFile(join(all.bench.directory, 'mcp-logins.json'), 'utf8'), '{}\n')
})

test('asks for more at the next login where a tool wants more, and says so to the agent', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  await all.hello()
  all.judge = (token) => {
    const scopes = all.authority.access.get(token)?.scope.split(' ')
    return scopes === undefined ? 'unknown' : scopes.includes('write') ? 'good' : { needs: 'write' }
  }
  assert.match((await all.hello()).text, /does not allow this; the call was not made/)
  assert.equal((await all.state())?.status, 'up')
  await all.login()
  assert.equal((await all.hello()).text, 'hello')
})

test('asks for more by itself where the entry allows it, and not where it does not', async () => {
  const needsWrite = (token: string) => {
    const scopes = all.authority.access.get(token)?.scope.split(' ')
    return scopes === undefined ? ('unknown' as const) : scopes.includes('write') ? ('good' as const) : { needs: 'write' }
  }
  all.judge = needsWrite
  await all.start(byCredentials(all.authority.issuer))
  assert.equal((await all.hello()).text, 'hello')
  await all.setEntry({ ...byCredentials(all.authority.issuer), scopes: ['read'] })
  assert.notEqual((await all.hello()).text, 'hello')
  assert.equal(all.authority.tokenRequests.at(-1)?.form.get('scope'), 'read')
})

test('keeps tokens sealed and private on disk, and lets them out in no log, no journal and no result', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  await all.hello()
  all.authority.access.clear()
  await all.hello()
  const file = join(all.bench.directory, 'mcp-logins.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const texts = [await readFile(file, 'utf8'), all.leaks]
  const secrets = [...all.authority.access.keys(), ...all.authority.refresh.keys(), ...all.server.tokens]
  assert.ok(secrets.length >= 4)
  for (const text of texts) for (const secret of secrets) assert.ok(!text.includes(secret))
  for (const token of all.server.tokens) assert.ok(all.bench.secrets.includes(token))
})

test('opens logins after the master key was rotated, and none under a foreign key', async () => {
  const [first, second, foreign] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string]
  await all.start({ type: 'oauth' }, { keys: { logins: first, formerLogins: [] } })
  await all.login()
  await all.restart({ keys: { logins: second, formerLogins: [first] } })
  assert.equal((await all.hello()).text, 'hello')
  await all.restart({ keys: { logins: foreign, formerLogins: [] } })
  assert.equal((await all.state())?.status, 'needs-login')
})
