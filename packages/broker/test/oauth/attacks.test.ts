// Attacks on logins, those of the security best practices of MCP among them: each is refused, and leaves no login behind.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { byCredentials, LoginBench } from '../fixtures/logging-in.ts'
import { startHttpServer } from '../fixtures/http-server.ts'

let all: LoginBench
beforeEach(async () => {
  all = await LoginBench.create()
})
afterEach(() => all.close())

const elsewhere = 'https://evil.example.org'

interface Attack {
  readonly name: string
  readonly auth?: (issuer: string) => Readonly<Record<string, unknown>>
  /** What the attacker has done before the login begins. */
  readonly before?: (all: LoginBench) => void
  /** What the attacker does to the address that the browser comes back to. */
  readonly onBack?: (back: URL) => void
  readonly refusal: RegExp
}

const metadata =
  (members: Record<string, unknown>) =>
  ({ authority }: LoginBench): void =>
    void (authority.metadata = members)

const resource =
  (members: Record<string, unknown>) =>
  ({ server }: LoginBench): void =>
    void (server.metadata = members)

const token =
  (members: Record<string, unknown>) =>
  ({ authority }: LoginBench): void =>
    void (authority.onToken = ({ body }) => ({ body: { ...(body as object), ...members } }))

const back =
  (name: string, value: string | undefined) =>
  (url: URL): void =>
    value === undefined ? url.searchParams.delete(name) : url.searchParams.set(name, value)

const attacks: readonly Attack[] = [
  {
    name: 'metadata of the server that name another resource',
    before: resource({ resource: `${elsewhere}/mcp` }),
    refusal: /another resource/,
  },
  {
    name: 'metadata of the server for a sibling path',
    before: (bench) => void (bench.server.metadata = { resource: `${new URL(bench.server.url).origin}/other` }),
    refusal: /another resource/,
  },
  {
    name: 'metadata of the server that name no authorization server',
    before: resource({ authorization_servers: [] }),
    refusal: /no authorization server/,
  },
  {
    name: 'metadata of the server that are no JSON',
    before: ({ server }) => void (server.metadataText = '<html>'),
    refusal: /no JSON within the limits/,
  },
  {
    name: 'metadata of the server that fail',
    before: ({ server }) => void (server.metadataStatus = 500),
    refusal: /metadata of the server/,
  },
  {
    name: 'metadata of the server as deep as a parser can fall',
    before: ({ server }) => void (server.metadataText = '['.repeat(100_000)),
    refusal: /no JSON within the limits/,
  },
  {
    name: 'metadata of the server larger than may be read',
    before: ({ server }) => void (server.metadataText = JSON.stringify({ resource: 'x'.repeat(1024 * 1024) })),
    refusal: /more than may be read/,
  },
  {
    name: 'a challenge that names metadata at another origin',
    before: ({ server }) => void (server.challenge = `Bearer resource_metadata="${elsewhere}/metadata"`),
    refusal: /another origin/,
  },
  {
    name: 'an authorization server at the address of cloud metadata',
    before: resource({ authorization_servers: ['http://169.254.169.254'] }),
    refusal: /refused: expected https/,
  },
  {
    name: 'an authorization server that is no url of the web',
    before: resource({ authorization_servers: ['file:///etc/passwd'] }),
    refusal: /metadata of the server|refused/,
  },
  {
    name: 'an authorization server over https at the address of cloud metadata',
    before: resource({ authorization_servers: ['https://169.254.169.254'] }),
    refusal: /may not be dialled/,
  },
  { name: 'metadata of an issuer other than the one asked', before: metadata({ issuer: elsewhere }), refusal: /another issuer/ },
  {
    name: 'an authorization server other than that of the entry',
    auth: () => ({ type: 'oauth', issuer: elsewhere }),
    refusal: /another authorization server than the entry/,
  },
  { name: 'metadata without PKCE', before: metadata({ code_challenge_methods_supported: undefined }), refusal: /PKCE/ },
  { name: 'metadata with plain PKCE alone', before: metadata({ code_challenge_methods_supported: ['plain'] }), refusal: /PKCE/ },
  {
    name: 'a token endpoint in clear text',
    before: metadata({ token_endpoint: 'http://evil.example.org/token' }),
    refusal: /token_endpoint/,
  },
  {
    name: 'an authorization endpoint that a browser would run',
    before: metadata({ authorization_endpoint: 'javascript:alert(1)' }),
    refusal: /metadata of the authorization server/,
  },
  {
    name: 'an authorization endpoint with a password in it',
    before: metadata({ authorization_endpoint: 'https://user:pass@evil.example.org/authorize' }),
    refusal: /authorization_endpoint/,
  },
  {
    name: 'metadata that redirect',
    before: ({ authority }) =>
      void (authority.instead = (_, response) => (response.writeHead(302, { location: `${elsewhere}/metadata` }).end(), true)),
    refusal: /redirect/,
  },
  {
    name: 'a registration that redirects elsewhere',
    before: ({ authority }) => void (authority.onRegister = (body) => ({ ...body, redirect_uris: [`${elsewhere}/callback`] })),
    refusal: /another redirect/,
  },
  { name: 'an answer of another issuer: the mix-up', onBack: back('iss', elsewhere), refusal: /another authorization server/ },
  { name: 'an answer whose issuer was taken away', onBack: back('iss', undefined), refusal: /another authorization server/ },
  { name: 'a code that was made up', onBack: back('code', 'made-up'), refusal: /refused the login/ },
  {
    name: 'an error with words of the attacker',
    onBack: (url) => {
      url.searchParams.delete('code')
      url.searchParams.set('error', 'call-this-number-at-once')
    },
    refusal: /^the authorization server refused the login$/,
  },
  { name: 'a token of another type', before: token({ token_type: 'mac' }), refusal: /cannot be used/ },
  { name: 'a token that would begin another header', before: token({ access_token: 'good\r\nx-admin: yes' }), refusal: /cannot be used/ },
  { name: 'a token too short to be kept from agents', before: token({ access_token: 'a' }), refusal: /cannot be used/ },
  { name: 'a token longer than may be kept', before: token({ access_token: 'x'.repeat(20_000) }), refusal: /cannot be used/ },
  {
    name: 'more scopes than the entry allows',
    auth: () => ({ type: 'oauth', scopes: ['read'] }),
    before: token({ scope: 'read admin' }),
    refusal: /scopes that the entry does not name/,
  },
  {
    name: 'a token endpoint that redirects with the code',
    before: ({ authority }) =>
      void (authority.instead = (request, response) => {
        if (request.url !== '/token') return false
        response.writeHead(307, { location: `${elsewhere}/token` }).end()
        return true
      }),
    refusal: /redirect/,
  },
]

for (const { name, auth, before, onBack, refusal } of attacks)
  test(`refuses ${name}`, async () => {
    before?.(all)
    await all.start(auth?.(all.authority.issuer) ?? { type: 'oauth' })
    await assert.rejects(
      async () => {
        const { id, url } = await all.begin()
        const to = await all.authority.agree(url.href)
        onBack?.(to)
        await all.comeBack(to)
        await all.finish(id)
      },
      (error: { code?: string; detail?: string }) => {
        assert.equal(error.code, 'upstream-failed')
        assert.match(error.detail ?? '', refusal)
        return true
      },
    )
    assert.equal((await all.state())?.status, 'needs-login')
    assert.deepEqual([all.bench.gateway.logins, all.server.tokens], [[], []])
  })

test('a login is finished by whoever began it and by nobody else, once', async () => {
  await all.start({ type: 'oauth' })
  const { id, url } = await all.begin('alice')
  await all.comeBack(await all.authority.agree(url.href))
  await assert.rejects(all.finish(id, 'mallory'), { code: 'not-found' })
  await assert.rejects(all.finish('guessed', 'alice'), { code: 'not-found' })
  assert.equal(await all.finish(id, 'alice'), 'done')
  await assert.rejects(all.finish(id, 'alice'), { code: 'not-found' })
  assert.equal(all.bench.gateway.logins[0]?.principal, 'alice')
})

test('an answer is taken once, and only where a login waits for its state', async () => {
  await all.start({ type: 'oauth' })
  const { url, id } = await all.begin()
  const to = await all.authority.agree(url.href)
  const forged = new URL(to)
  forged.searchParams.set('state', 'forged')
  assert.equal(await all.comeBack(forged), false)
  assert.equal(await all.comeBack(to), true)
  const swapped = new URL(to)
  swapped.searchParams.set('code', 'of-the-attacker')
  assert.equal(await all.comeBack(swapped), false)
  assert.equal(await all.finish(id), 'done')
})

test('an answer to a login that was begun again is not taken', async () => {
  await all.start({ type: 'oauth' })
  const first = await all.begin()
  const back = await all.authority.agree(first.url.href)
  await all.begin()
  assert.equal(await all.comeBack(back), false)
})

test('a login begun for one entry is not finished for another', async () => {
  await all.start({ type: 'oauth' })
  const { id, url } = await all.begin()
  await all.comeBack(await all.authority.agree(url.href))
  await all.setEntry({ type: 'oauth', scopes: ['read'] })
  await assert.rejects(all.finish(id), { code: 'conflict' })
  assert.deepEqual(all.bench.gateway.logins, [])
})

test('a restart ends a login that was begun', async () => {
  await all.start({ type: 'oauth' })
  const { id, url } = await all.begin()
  const back = await all.authority.agree(url.href)
  await all.restart()
  assert.equal(await all.comeBack(back), false)
  await assert.rejects(all.finish(id), { code: 'not-found' })
})

test('a token goes to the server of its entry alone, and a secret to the issuer of its entry alone', async () => {
  await all.start(byCredentials(all.authority.issuer))
  const other = await startHttpServer()
  try {
    await all.hello()
    all.server.metadata = { authorization_servers: [new URL(other.url).origin] }
    all.authority.access.clear()
    assert.equal((await all.hello()).code, 'server-unavailable')
    assert.deepEqual(other.seen, [])
  } finally {
    await other.close()
  }
})

test('a refresh token goes to the issuer that gave it, whatever the server says of its issuer later', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  await all.hello()
  all.server.metadata = { authorization_servers: [elsewhere] }
  all.authority.access.clear()
  assert.equal((await all.hello()).text, 'hello')
})

test('nothing of a login that the journal does not take is kept', async () => {
  await all.start({ type: 'oauth' })
  const { id, url } = await all.begin()
  await all.comeBack(await all.authority.agree(url.href))
  all.bench.gateway.isDown = true
  await assert.rejects(all.finish(id), { code: 'upstream-failed' })
  all.bench.gateway.isDown = false
  assert.equal((await all.state())?.status, 'needs-login')
})

test('a server that refuses every token is not given one after the other', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  all.judge = () => 'unknown'
  assert.equal((await all.hello()).code, 'server-unavailable')
  const refreshes = all.authority.tokenRequests.filter(({ form }) => form.get('grant_type') === 'refresh_token').length
  await all.hello()
  assert.ok(refreshes <= 4)
  assert.equal(all.authority.tokenRequests.filter(({ form }) => form.get('grant_type') === 'refresh_token').length, refreshes)
})

test('a result that repeats the token reaches the agent without it, also after the token was renewed', async () => {
  await all.start({ type: 'oauth' })
  await all.login()
  const repeated = async (): Promise<string> => JSON.stringify(await all.bench.call('tracker__repeat'))
  assert.match(await repeated(), /Bearer ••••/)
  all.authority.access.clear()
  assert.match(await repeated(), /Bearer ••••/)
  assert.equal(new Set(all.server.tokens).size, 2)
})
