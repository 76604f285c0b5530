// What the fake unit answers, by route. null is an answer without a body, undefined none at all.
import {
  callRecords,
  change,
  changeView,
  entries,
  explanation,
  frozen,
  grant,
  group,
  hostile,
  logs,
  preview,
  probe,
  put,
  reach,
  servers,
  session,
  status,
  token,
  wired,
} from './contents.ts'

export interface Question {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

interface Body {
  readonly outcome?: string
  readonly dryRun?: boolean
  readonly name?: string
}

const submitted = { id: change.id, state: 'held', digest: change.digest }

const fixed: Readonly<Record<string, unknown>> = {
  'GET /v1/changes/pending': { items: [change] },
  'GET /v1/changes/history': { items: [{ ...change, state: 'applied' }] },
  [`GET /v1/changes/${change.id}`]: changeView,
  [`GET /v1/changes/${change.id}/reach`]: reach,
  [`POST /v1/changes/${change.id}/withdraw`]: { ...change, state: 'withdrawn' },
  [`POST /v1/changes/${change.id}/retry`]: { ...change, state: 'applied' },
  [`POST /v1/changes/${change.id}/revert`]: submitted,
  'GET /v1/audit': { items: entries.toReversed() },
  'GET /v1/audit/calls': { items: callRecords.toReversed() },
  'GET /v1/registry/mcp-servers': { items: servers },
  'GET /v1/registry/mcp-servers/sample': servers[0],
  'GET /v1/registry/mcp-servers/far': servers[1],
  'DELETE /v1/registry/mcp-servers/sample': null,
  'POST /v1/registry/mcp-servers/sample/probe': probe,
  'POST /v1/registry/mcp-servers/far/login': {
    id: 'login-1',
    url: `https://login.example.org/authorize?state=${hostile}`,
    expiresAt: '2999-01-01T00:00:00Z',
  },
  'POST /v1/registry/mcp-servers/far/login/finish': { status: 'done' },
  'DELETE /v1/registry/mcp-servers/far/login': { revoked: true },
  'POST /v1/ui/chat/send': { conversationId: 'console', messageId: 'msg-1', sessionId: 'ses_abcdefghijklm' },
  'GET /v1/status': status,
  'GET /v1/models': {
    items: [{ name: 'anthropic', host: hostile, paths: [hostile] }],
    spending: [{ agentGroupID: 'dev-agent', tokens: 5, reserved: 0 }],
  },
  'GET /v1/audit/model-calls': { items: [] },
  'POST /v1/models/anthropic/check': { provider: 'anthropic', reachable: true, elapsedMs: 3, detail: hostile },
  'POST /v1/models/compatible/check': { provider: 'compatible', reachable: true, elapsedMs: 3, detail: hostile },
  'GET /v1/channels': {
    items: [{ name: 'slack', state: 'up', since: '2026-01-02T03:04:05.000Z', account: hostile, waiting: 0, dead: 1 }],
    letters: [
      {
        channel: 'slack',
        agentGroupID: 'dev-agent',
        conversationId: 'slack:C1',
        messageId: 'r-1',
        reason: hostile,
        at: '2026-01-02T03:04:05.000Z',
      },
    ],
  },
  'POST /v1/channels/slack/check': { name: 'slack', accepted: true, detail: hostile, elapsedMs: 3 },
  'GET /readyz': { status: 'ready', sandbox: 'ok' },
  'GET /v1/agent-groups': { items: [group] },
  'GET /v1/agent-groups/dev-agent': group,
  'GET /v1/agent-groups/dev-agent/files': {
    items: [{ name: hostile, kind: 'file', size: 5, modifiedAt: '2026-01-02T03:04:05.000Z', readable: false }],
  },
  'GET /v1/agent-groups/dev-agent/files/report.md': hostile,
  'PUT /v1/agent-groups/dev-agent/files/gatehouse.yaml': { place: 'workspace', path: 'gatehouse.yaml', bytes: 5, digest: 'ab'.repeat(32) },
  'PUT /v1/agent-groups/dev-agent/files/in/unit.yaml': { place: 'workspace', path: 'in/unit.yaml', bytes: 5, digest: 'ab'.repeat(32) },
  'DELETE /v1/agent-groups/dev-agent/files/report.md': null,
  'DELETE /v1/agent-groups/dev-agent/files/old.md': null,
  'GET /v1/grants': { items: [grant] },
  'GET /v1/wirings': { items: [wired] },
  'GET /v1/explain': explanation,
  'GET /v1/sessions': { items: [session] },
  [`POST /v1/sessions/${session.id}/terminate`]: null,
  [`POST /v1/sessions/${session.id}/resume`]: null,
  [`POST /v1/sessions/${session.id}/purge`]: null,
  [`GET /v1/sessions/${session.id}/logs`]: { lines: [{ at: '2026-01-02T03:04:05.000Z', sandbox: 'one', text: hostile }], dropped: 0 },
  'POST /v1/sandbox/probe': {
    driver: 'oci',
    engine: hostile,
    at: '2026-01-02T03:04:05.000Z',
    elapsedMs: 900,
    walls: [{ name: 'network', says: 'It sees no interface but lo.', verdict: 'held' }],
    faults: [hostile],
  },
  'GET /v1/tokens': { items: [token] },
  'DELETE /v1/tokens/alice': null,
  'GET /v1/freeze': { items: [frozen] },
  'POST /v1/freeze': frozen,
  'DELETE /v1/freeze': null,
}

export const known = ({ method, path, body: sent }: Question): unknown => {
  const body = sent as Body | undefined
  const route = `${method} ${path.split('?')[0]}`
  if (route === 'POST /v1/changes') return body?.dryRun === true ? preview : submitted
  if (route === `POST /v1/changes/${change.id}/decision`) return { ...change, state: body?.outcome === 'approve' ? 'applied' : 'rejected' }
  if (route === 'POST /v1/tokens') return { ...token, name: body?.name, token: 's3cr3t'.repeat(8) }
  if (route.startsWith('PUT /v1/registry/mcp-servers/')) return put(sent)
  if (route === 'GET /v1/registry/mcp-servers/sample/logs') return logs[/after=\d+/.exec(path)?.[0] ?? '']
  return Object.hasOwn(fixed, route) ? fixed[route] : undefined
}
