// Every route of the API document, asked by every role: nothing but an approved change alters a group, a wiring or a grant.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { request, type Answer } from '../src/http.ts'
import { startUnit, type Unit } from '../src/unit.ts'

const admin = 'd'.repeat(64)
/** Of a channel, so that its routes are there. */
const secret = `whsec_${'c2VjcmV0IG9mIGEgc3dlZXAg'.repeat(2)}`
const roles = ['auditor', 'requester', 'approver', 'admin'] as const
type Role = (typeof roles)[number] | 'nobody'

/** `client`: no role but that of a client. */
type Least = Role | 'client'

/** Least role for each route that may change something. A route that is missing here fails the sweep. */
const mutating: Readonly<Record<string, { readonly least: Least; readonly body?: unknown }>> = {
  'POST /v1/changes': { least: 'requester', body: { kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'bypassed' } } },
  'POST /v1/ui/config/change': { least: 'requester', body: { kind: 'tools', agentGroupID: 'dev-agent', after: { enabled: [] } } },
  'POST /v1/changes/{id}/decision': { least: 'approver', body: { outcome: 'approve', decidedBy: 'sweep' } },
  'POST /v1/changes/{id}/withdraw': { least: 'requester', body: {} },
  'POST /v1/changes/{id}/retry': { least: 'approver', body: {} },
  'POST /v1/changes/{id}/revert': { least: 'requester', body: {} },
  'PUT /v1/registry/mcp-servers/{name}': { least: 'admin', body: { transport: 'stdio', command: '/bin/true' } },
  'DELETE /v1/registry/mcp-servers/{name}': { least: 'admin' },
  'POST /v1/registry/mcp-servers/{name}/probe': { least: 'approver' },
  'POST /v1/registry/mcp-servers/{name}/login': { least: 'admin' },
  'POST /v1/registry/mcp-servers/{name}/login/finish': { least: 'admin', body: { id: 'swept' } },
  'DELETE /v1/registry/mcp-servers/{name}/login': { least: 'admin' },
  'POST /v1/models/{provider}/check': { least: 'approver' },
  'POST /v1/channels/{channel}/check': { least: 'approver' },
  'POST /v1/webhooks': { least: 'nobody', body: {} },
  'POST /v1/registry/reload': { least: 'admin' },
  'POST /v1/ui/chat/send': { least: 'requester', body: { agentGroupID: 'dev-agent', text: 'hello' } },
  'PUT /v1/agent-groups/{id}/files/{path}': { least: 'requester' },
  'DELETE /v1/agent-groups/{id}/files/{path}': { least: 'requester' },
  'POST /v1/tokens': { least: 'admin', body: { name: 'swept', role: 'auditor' } },
  'DELETE /v1/tokens/{name}': { least: 'admin' },
  'POST /v1/freeze': { least: 'approver', body: { reason: 'a sweep', agentGroupID: 'other' } },
  'DELETE /v1/freeze': { least: 'admin' },
  'POST /v1/sandbox/probe': { least: 'approver' },
  'POST /v1/backup': { least: 'admin', body: { passphrase: 'a sweep that nobody opens' } },
  'POST /v1/sessions/{id}/terminate': { least: 'approver', body: {} },
  'POST /v1/sessions/{id}/resume': { least: 'approver', body: {} },
  'POST /v1/sessions/{id}/cancel': { least: 'requester', body: {} },
  'POST /v1/sessions/{id}/purge': { least: 'admin', body: {} },
  'POST /mcp': { least: 'client', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
}

/** Streams and files: they answer without end, or hold nothing. */
const isApart = (path: string): boolean => path === '/v1/events' || path === '/' || path.startsWith('/ui')

let unit: Unit
const tokens: Record<string, string> = {}
const ids: Record<string, string> = {}
let routes: { readonly method: string; readonly path: string }[] = []

const as = (token: string | undefined, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
})
const ask = (token: string | undefined, route: string, body?: unknown): Promise<Answer> => {
  const [method = '', path = ''] = route.split(' ')
  return request(`${unit.address}${path}`, as(token, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }))
}
const must = async (answer: Promise<Answer>): Promise<Readonly<Record<string, unknown>>> => {
  const { status, text, json } = await answer
  assert.ok(status < 300, text)
  return json ?? {}
}
const text = (value: unknown): string => String(value)

const submit = async (kind: string, agentGroupID: string, after: unknown): Promise<string> =>
  text((await must(ask(admin, 'POST /v1/changes', { kind, agentGroupID, after })))['id'])
const decide = (id: string, outcome: string) => must(ask(admin, `POST /v1/changes/${id}/decision`, { outcome, decidedBy: 'sweep' }))
const carry = async (kind: string, agentGroupID: string, after: unknown): Promise<string> => {
  const id = await submit(kind, agentGroupID, after)
  await decide(id, 'approve')
  return id
}

/** What is observed of a grant is no part of it. */
const observed = new Set(['calls', 'expired', 'exhausted', 'serverChanged', 'changed', 'added'])

const registry = async (): Promise<string> => {
  const parts = await Promise.all(['agent-groups', 'wirings', 'grants'].map((name) => ask(admin, `GET /v1/${name}`)))
  return JSON.stringify(
    parts.map(({ json }) => json),
    (name, value: unknown) => (observed.has(name) ? undefined : value),
  )
}

before(async () => {
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--mcp-endpoint'],
    env: { SERVICE_API_TOKEN: admin, WEBHOOK_SIGNING_SECRET: secret },
    token: admin,
  })
  const { paths } = await must(ask(admin, 'GET /v1/openapi.json'))
  routes = Object.entries(paths as Record<string, Record<string, unknown>>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })),
  )
  for (const role of roles) {
    const minted = await must(ask(admin, 'POST /v1/tokens', { name: `sweep-${role}`, role }))
    tokens[role] = text(minted['token'])
  }
  await carry('agent_create', 'other', { id: 'other', name: 'other', agent: 'mock' })
  ids['applied'] = await carry('mcp_access', 'other', { server: 'sample', tools: ['echo'] })
  await carry('wiring', 'other', { channel: 'slack', address: 'C1', engage: 'mention', session: 'thread' })
  ids['rejected'] = await submit('persona', 'other', { instructions: 'rejected' })
  await decide(ids['rejected'], 'reject')
  ids['forged'] = 'chg_20200101000000.000000000'
})
after(() => unit.dispose())

const fill = (path: string, id: string): string =>
  path
    .replace('/changes/{id}', `/changes/${id}`)
    .replace('/sessions/{id}', '/sessions/ses_aaaaaaaaaaaaa')
    .replace('{name}', path.includes('tokens') ? 'nobody' : 'sample')
    .replace('{provider}', 'anthropic')
    .replace('{channel}', 'webhook')
    .replace('/{agentGroupID}', '/dev-agent')
    .replace('/{id}', '/dev-agent')

const query = (method: string, path: string): string => {
  if (method === 'DELETE' && path === '/v1/freeze') return '?reason=sweep&agentGroupID=other'
  return path === '/v1/explain' ? '?agentGroupID=dev-agent&tool=sample__echo' : ''
}

const mayAct = (role: Role, least: Least): boolean =>
  role !== 'nobody' && least !== 'client' && roles.indexOf(role) >= roles.indexOf(least as (typeof roles)[number])

test('every route that is not a reading one is in the table of this sweep', () => {
  const unlisted = routes.filter(({ method, path }) => method !== 'GET' && !(`${method} ${path}` in mutating))
  assert.deepEqual(unlisted, [])
  const gone = Object.keys(mutating).filter((name) => !routes.some(({ method, path }) => `${method} ${path}` === name))
  assert.deepEqual(gone, [])
})

for (const role of ['nobody', ...roles] as const) {
  test(`${role}: no route alters the registry`, async () => {
    // Held by the administrator: what others may not decide, and what this one must not decide here.
    ids['held'] = await submit('persona', 'other', { instructions: `held for ${role}` })
    const before = await registry()
    for (const { method, path } of routes) {
      const name = `${method} ${path}`
      if (isApart(path)) continue
      const row = mutating[name]
      const subjects = path.includes('/changes/{id}') ? Object.entries(ids) : [['none', '']]
      for (const [subject, id] of subjects) {
        const decides = name === 'POST /v1/changes/{id}/decision' && subject === 'held' && mayAct(role, 'approver')
        if (decides) continue
        const { status } = await ask(tokens[role], `${method} ${fill(path, id ?? '')}${query(method, path)}`, row?.body)
        const open = ['/healthz', '/readyz'].includes(path) || /^\/(?:\.well-known|v1\/oauth)\//.test(path)
        if (role === 'nobody' && !open) assert.equal(status, 401, name)
        else if (row !== undefined && !mayAct(role, row.least)) assert.equal(status, 403, name)
        assert.ok(status < 500 || status === 503 || status === 502, `${name}: ${status}`)
      }
      assert.equal(await registry(), before, `${name} on behalf of ${role}`)
    }
    // The catalog is the administrator's to edit; what others rest on is put back.
    await must(ask(admin, 'PUT /v1/registry/mcp-servers/sample', sample))
  })
}

const sample = { transport: 'stdio', command: '/bin/true' }

test('the same sweep notices an approved change', async () => {
  const before = await registry()
  await decide(text(ids['held']), 'approve')
  assert.notEqual(await registry(), before)
})
