// MCP clients outside of a sandbox on a whole unit: what they may call, what ends that, and what is recorded of it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client as Modern, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { Client as Legacy } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { post, request } from '../src/http.ts'
import { runSvcctl } from '../src/svcctl.ts'
import { release, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { approve, callBegan, createExternalGroup, type ExternalGroup, recordedCalls } from './fixtures/external-group.ts'

const patience = 90_000
const ask = 'request_capability_change'

let unit: Unit
before(async () => {
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--mcp-endpoint'] })
})
after(() => unit?.dispose())

/** One client, whichever SDK it is made of. */
interface Connected {
  list(): Promise<string[]>
  /** Whether it failed, and what it says. */
  call(name: string, args?: Record<string, unknown>): Promise<readonly [failed: boolean, text: string]>
  /** Hears of each change to the list of tools. */
  listen(hear: () => void): Promise<void>
  close(): Promise<void>
}

type Outcome = readonly [boolean, string]
const outcomeOf = ({ isError, content }: { isError?: boolean | undefined; content: unknown }): Outcome => [
  isError === true,
  JSON.stringify(content),
]

const legacy = async (transport: LegacyHttp | LegacyStdio): Promise<Connected> => {
  const sdk = new Legacy({ name: 'legacy', version: '1' })
  await sdk.connect(transport)
  return {
    list: async () => (await sdk.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => {
      const { isError, content } = await sdk.callTool({ name, arguments: args }, CallToolResultSchema, { timeout: patience })
      return outcomeOf({ isError: isError === true, content })
    },
    listen: async (hear) => sdk.setNotificationHandler(ToolListChangedNotificationSchema as never, hear),
    close: () => sdk.close(),
  }
}

const modern = async (transport: ModernHttp): Promise<Connected> => {
  const sdk = new Modern({ name: 'modern', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await sdk.connect(transport)
  return {
    list: async () => (await sdk.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => outcomeOf(await sdk.callTool({ name, arguments: args }, { timeout: patience })),
    listen: async (hear) => {
      sdk.setNotificationHandler('notifications/tools/list_changed', hear)
      await sdk.listen({ toolsListChanged: true })
    },
    close: () => sdk.close(),
  }
}

const httpOf = ({ token }: ExternalGroup) =>
  [new URL('/mcp', unit.address), { requestInit: { headers: { authorization: `Bearer ${token}` } } }] as const
const bridgeOf = ({ name }: ExternalGroup) => ({
  command: process.execPath,
  args: [join(release, 'svcctl/svcctl.mjs'), 'mcp', 'serve', '--group', name],
  env: { SERVICE_API_URL: unit.address, HOME: unit.stateDir },
})

const clients: Readonly<Record<string, (group: ExternalGroup) => Promise<Connected>>> = {
  'legacy-http': (group) => legacy(new LegacyHttp(...httpOf(group))),
  'modern-http': (group) => modern(new ModernHttp(...httpOf(group))),
  'legacy-stdio': (group) => legacy(new LegacyStdio(bridgeOf(group))),
}

for (const [name, connect] of Object.entries(clients)) {
  test(`a ${name} client is held to live grants, and each of its calls is recorded once`, async () => {
    const client = await connect(await createExternalGroup(unit, name))
    try {
      let heard = 0
      await client.listen(() => void (heard += 1))
      assert.deepEqual(await client.list(), [ask])
      assert.match((await client.call(`${name}__fast`)).join(), /^true.*no grant/)

      const asked = (await client.call(ask, { kind: 'mcp_access', after: { server: name, tools: [] } })).join()
      const [id = ''] = /chg_\d+\.\d+/.exec(asked) ?? []
      assert.match(asked, /^false.*is held/)
      await approve(unit, id)
      assert.match((await client.call(ask, { kind: 'status', after: { id } })).join(), /^false.*is applied/)
      await waitFor('the notification', patience, () => heard > 0)
      assert.deepEqual(await client.list(), [`${name}__fast`, `${name}__wait`, ask])
      assert.equal((await client.call(`${name}__fast`))[0], false)

      const flying = client.call(`${name}__wait`)
      await callBegan(unit, name, 'wait')
      const revoke = await unit.client.changes.submit({ kind: 'mcp_revoke', agentGroupID: name, after: { server: name } })
      await approve(unit, revoke.id)
      assert.match((await flying).join(), /^true.*revoked/)
      assert.match((await client.call(`${name}__fast`)).join(), /^true.*revoked/)
      assert.deepEqual(await client.list(), [ask])

      await unit.client.freezes.freeze({ agentGroupID: name, reason: 'a drill' })
      assert.match((await client.call(`${name}__fast`)).join(), /^true.*stopped by an operator/)
      assert.deepEqual(await recordedCalls(unit, name), ['fast frozen', 'fast not-granted', 'fast ok', 'fast revoked', 'wait revoked'])
    } finally {
      await client.close()
    }
    await waitFor('the token of the bridge to be revoked', patience, async () =>
      (await unit.client.tokens.list()).items.every(({ name: token }) => !token.startsWith(`${name}.stdio`)),
    )
  })
}

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const accept = 'application/json, text/event-stream'
const postMcp = (address: string, token: string) => post(`${address}/mcp`, listTools, { accept, authorization: `Bearer ${token}` })

test('a client token opens nothing but the endpoint, no other token opens the endpoint, and a revoked one neither', async () => {
  const { token } = await createExternalGroup(unit, 'tokens')
  const { token: admin } = await unit.client.tokens.create({ name: 'other-admin', role: 'admin' })
  assert.equal((await postMcp(unit.address, token)).status, 200)
  assert.equal((await postMcp(unit.address, admin)).status, 403)
  const bearer = (value: string) => ({ headers: { authorization: `Bearer ${value}` } })
  for (const path of ['/v1/status', '/v1/agent-groups', '/v1/tokens', '/v1/audit/calls', '/v1/events'])
    assert.equal((await request(`${unit.address}${path}`, bearer(token))).status, 403, path)
  assert.equal((await request(`${unit.address}/v1/status`, bearer(admin))).status, 200)
  await unit.client.tokens.revoke('tokens')
  assert.equal((await postMcp(unit.address, token)).status, 403)
})

test('a unit without --mcp-endpoint has neither the route nor the kind of agent', async () => {
  const plain = await startUnit({ flags: ['--dev', '--sandbox', 'none'] })
  try {
    assert.equal((await postMcp(plain.address, 'any')).status, 404)
    assert.equal((await request(`${plain.address}/.well-known/oauth-protected-resource/mcp`)).status, 404)
    const { code } = await runSvcctl('group create desk --agent external'.split(' '), { address: plain.address, home: plain.stateDir })
    assert.equal(code, 5)
  } finally {
    await plain.dispose()
  }
})
