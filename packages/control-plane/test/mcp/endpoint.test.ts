// The MCP endpoint over a real socket: clients of the official SDKs in both eras, and those that mean harm.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type News, ServiceError, type ToolResult } from '@gatehouse/contracts'
import { sha256, waitFor } from '@gatehouse/kernel'
import { Client as Modern, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as Legacy } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { type ServerOptions, startServer } from '../fixtures/server.ts'
import { createTestUnit, otherToken, token } from '../fixtures/unit.ts'

const client = (presented: { token: string | null; route: string }) => {
  if (presented.token !== sha256(token)) throw new ServiceError('unauthorized')
  if (presented.route !== 'mcp') throw new ServiceError('forbidden')
  return { name: 'desk', role: 'client' as const, groups: ['outside'] }
}

const start = (t: TestContext, options: ServerOptions = {}) =>
  startServer(t, { ...options, answers: { 'gateway.permit': client, ...options.answers } })

const headersOf = (presented: string) => ({ requestInit: { headers: { authorization: `Bearer ${presented}` } } })

type Connected = { listTools(): Promise<string[]>; call(name: string, args: Record<string, unknown>): Promise<ToolResult> }

const connectLegacy = async (t: TestContext, host: string): Promise<Connected & { sdk: Legacy }> => {
  const sdk = new Legacy({ name: 'legacy', version: '1' })
  await sdk.connect(new LegacyTransport(new URL(`http://${host}/mcp`), headersOf(token)))
  t.after(() => sdk.close())
  return {
    sdk,
    listTools: async () => (await sdk.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await sdk.callTool({ name, arguments: args }, CallToolResultSchema)) as ToolResult,
  }
}

const connectModern = async (t: TestContext, host: string): Promise<Connected & { sdk: Modern }> => {
  const sdk = new Modern({ name: 'modern', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await sdk.connect(new ModernTransport(new URL(`http://${host}/mcp`), headersOf(token)))
  t.after(() => sdk.close())
  return {
    sdk,
    listTools: async () => (await sdk.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await sdk.callTool({ name, arguments: args })) as ToolResult,
  }
}

const eras = { 'before 2026-07-28': connectLegacy, '2026-07-28': connectModern } as const

for (const [era, connect] of Object.entries(eras)) {
  test(`a client of ${era} lists, calls and requests, and is served tools alone`, async (t) => {
    const { host, calls } = await start(t)
    const connected = await connect(t, host)
    assert.deepEqual(await connected.listTools(), ['sample__echo', 'request_capability_change'])
    assert.deepEqual((await connected.call('sample__echo', { text: 'hello' })).content, [{ type: 'text', text: '{"text":"hello"}' }])
    const asked = await connected.call('request_capability_change', { kind: 'mcp_access', after: { server: 'other', tools: [] } })
    assert.match(JSON.stringify(asked), /Change chg_\d+\.\d+ is held\. A human decides/)
    assert.match(JSON.stringify(await connected.call('request_capability_change', { kind: 'nonsense' })), /Nothing was requested/)
    assert.deepEqual(connected.sdk.getServerCapabilities(), { tools: { listChanged: true } })
    const [listed, called, submitted] = ['clientList', 'clientCall', 'clientSubmit'].map((name) =>
      calls.find((call) => call.name.endsWith(name)),
    )
    // The digest of the token is all that says whose they are.
    assert.deepEqual(listed?.params, { token: sha256(token) })
    assert.deepEqual(called?.params, { token: sha256(token), call: { name: 'sample__echo', arguments: { text: 'hello' } } })
    assert.deepEqual(Object.keys(submitted?.params ?? {}).toSorted(), ['after', 'kind', 'token'])
  })

  test(`a refusal reaches a client of ${era} as the result of its call, in the words of a sandbox`, async (t) => {
    const message = 'sample__add: this agent has no grant for the tool'
    const refusal = { content: [{ type: 'text', text: message }], isError: true, error: { code: 'not-granted', message } }
    const { host } = await start(t, { answers: { 'broker.clientCall': () => refusal } })
    const connected = await connect(t, host)
    const { content, isError } = await connected.call('sample__add', {})
    assert.deepEqual([content, isError], [refusal.content, true])
  })

  test(`a client of ${era} whose unit does not answer is told that the effect is unknown`, async (t) => {
    const lost = () => {
      throw new ServiceError('unavailable')
    }
    const { host } = await start(t, { answers: { 'broker.clientCall': lost } })
    const { content, isError } = await (await connect(t, host)).call('sample__echo', {})
    assert.equal(isError, true)
    assert.match(JSON.stringify(content), /whether the call took effect is unknown/)
  })

  test(`an answer that is no result of MCP does not break a client of ${era}`, async (t) => {
    const { host } = await start(t, { answers: { 'broker.clientCall': () => ({ content: [{ type: 'odd', x: 1 }], isError: false }) } })
    const { content, isError } = await (await connect(t, host)).call('sample__echo', {})
    assert.equal(isError, true)
    assert.match(JSON.stringify(content), /no result of MCP; the call was made/)
  })
}

const news = (stage: string, agentGroupID?: string): News => ({
  seq: 1,
  time: '2026-01-01T00:00:00.000Z',
  stage,
  principal: 'admin',
  agentGroupID,
})

test('a client that listens hears of changes to its tools and to no others', async (t) => {
  const { host, events } = await start(t)
  const { sdk } = await connectLegacy(t, host)
  let heard = 0
  sdk.setNotificationHandler(ToolListChangedNotificationSchema as never, () => void (heard += 1))
  await waitFor(() => events.count() === 1, { what: 'the stream of the client' })
  events.hear([news('apply', 'another'), news('submit', 'outside'), news('token-create')])
  events.hear([news('apply', 'outside')])
  await waitFor(() => heard === 1, { what: 'the news of its group' })
  events.hear([news('catalog-put')])
  await waitFor(() => heard === 2, { what: 'the news of the unit' })
})

test('a subscription of 2026-07-28 hears them too', async (t) => {
  const { host, events } = await start(t)
  const { sdk } = await connectModern(t, host)
  let heard = 0
  sdk.setNotificationHandler('notifications/tools/list_changed', () => void (heard += 1))
  await sdk.listen({ toolsListChanged: true })
  await waitFor(() => events.count() === 1, { what: 'the stream of the client' })
  events.hear([news('reject', 'outside')])
  await waitFor(() => heard === 1, { what: 'the decision' })
})

test('the stream of a revoked token ends', async (t) => {
  const { host, events } = await start(t)
  const answer = await fetch(`http://${host}/mcp`, { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } })
  assert.equal(answer.status, 200)
  await waitFor(() => events.count() === 1, { what: 'the stream of the client' })
  events.revoke(sha256(token))
  assert.equal(await answer.text(), '')
  assert.equal(events.count(), 0)
})

const post = (host: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`http://${host}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

test('whoever has no client token is shown where to read how to get in', async (t) => {
  const { host } = await start(t)
  const metadata = `http://${host}/.well-known/oauth-protected-resource/mcp`
  for (const headers of [{ authorization: '' }, { authorization: 'Bearer forged' }, { authorization: `Bearer ${otherToken}` }]) {
    const answer = await post(host, listTools, headers)
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('www-authenticate'), `Bearer resource_metadata="${metadata}"`)
  }
  assert.deepEqual(await (await fetch(metadata)).json(), {
    resource: `http://${host}/mcp`,
    resource_name: 'Gatehouse',
    bearer_methods_supported: ['header'],
  })
})

/** Opened by a signature, or by the one-time state of a login. */
const unguarded: ReadonlySet<string> = new Set(['/v1/webhooks', '/v1/oauth/callback', '/v1/oauth/client.json'])

test('a token of another role does not open it, and a client token opens nothing else', async () => {
  const { ask } = createTestUnit({
    answers: {
      'gateway.permit': ({ route }: { route: string }) => {
        if (route === 'mcp') throw new ServiceError('forbidden')
        return { name: 'admin', role: 'admin' }
      },
    },
  })
  assert.equal((await ask('POST', '/mcp', { body: listTools })).status, 403)
  const { ask: askAsClient, app } = createTestUnit({ answers: { 'gateway.permit': client } })
  for (const { method, path } of app.routes) {
    if (method === 'ALL' || !path.startsWith('/v1/') || unguarded.has(path)) continue
    const answer = await askAsClient(method, path.replaceAll(/:\w+(\{[^/]*\})?/g, 'x'))
    assert.equal(answer.status, 403, `${method} ${path}`)
  }
})

test('an open unit lets nobody in without a client token', async () => {
  const { ask } = createTestUnit({ boot: { open: true, mode: 'dev' } })
  assert.equal((await ask('POST', '/mcp', { body: listTools, headers: { authorization: null } })).status, 401)
})

test('without --mcp-endpoint there is nothing', async () => {
  const { ask, app } = createTestUnit({ boot: { mcp: { isolation: 'none', pinning: 'refuse' } } })
  for (const path of ['/mcp', '/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    assert.equal((await ask('GET', path)).status, 404, path)
    assert.equal((await ask('POST', path, { body: {} })).status, 404, path)
    assert.ok(!app.routes.some((route) => route.path === path))
  }
})

for (const [what, headers] of [
  ['a Host of elsewhere', { host: 'evil.example' }],
  ['an Origin of elsewhere', { origin: 'https://evil.example' }],
  ['an Origin that is null', { origin: 'null' }],
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
] as const) {
  test(`refuses ${what}, as DNS rebinding would bring it`, async () => {
    const { ask, named } = createTestUnit({ answers: { 'gateway.permit': client } })
    for (const method of ['POST', 'GET']) assert.equal((await ask(method, '/mcp', { headers })).status, 403)
    assert.equal(named('gateway.permit').length, 0)
  })
}

test('no session id of MCP is given, and one that is sent changes nothing', async (t) => {
  const { host, calls } = await start(t)
  const plain = await post(host, listTools)
  const answer = await post(host, listTools, { 'mcp-session-id': 'ses_aaaaaaaaaaaaa' })
  assert.equal(answer.headers.get('mcp-session-id'), null)
  assert.equal(await answer.text(), await plain.text())
  assert.deepEqual(
    calls.filter(({ name }) => name === 'broker.clientList').map(({ params }) => params),
    [{ token: sha256(token) }, { token: sha256(token) }],
  )
  assert.equal((await fetch(`http://${host}/mcp`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })).status, 405)
})

test('floods of batches, levels, values and bytes are refused before anything of them is done', async (t) => {
  const { host, calls } = await start(t)
  const batch = Array.from({ length: 100 }, (_, id) => ({ ...listTools, id }))
  assert.equal((await post(host, batch)).status, 400)
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const args = (text: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample__echo","arguments":{"x":${text}}}}`
  assert.equal((await post(host, args(deep(10_000)))).status, 400)
  assert.ok([400, 413].includes((await post(host, args(`[${'{},'.repeat(30_000)}{}]`))).status))
  assert.equal((await post(host, args(`"${'x'.repeat(5 * 1024 * 1024)}"`))).status, 413)
  assert.equal((await post(host, '{"jsonrpc":')).status, 400)
  assert.equal((await post(host, listTools, { 'content-type': 'text/plain' })).status, 415)
  assert.deepEqual(
    calls.filter(({ name }) => name.startsWith('broker.')),
    [],
  )
})

test('a client has as many streams as it may, and no more', async (t) => {
  const { host, events } = await start(t)
  const open = () => fetch(`http://${host}/mcp`, { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } })
  const statuses = (await Promise.all(Array.from({ length: 20 }, open))).map(({ status }) => status)
  assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length], [16, 4])
  assert.equal(events.count(), 16)
})
