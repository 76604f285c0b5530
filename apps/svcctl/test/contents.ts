// What the fake unit holds. Every value is parsed, so that it has the shape that a unit would send.
import {
  AgentGroup,
  AuditEntry,
  CallRecord,
  Change,
  ChangeView,
  ChatMessage,
  Explanation,
  Freeze,
  GrantView,
  Preview,
  ProbeResult,
  PutServerAnswer,
  Reach,
  ServerLogs,
  ServerView,
  SessionStatus,
  Status,
  Token,
  Wired,
} from '@gatehouse/contracts'
import * as v from 'valibot'

const digest = 'ab'.repeat(32)
export const at = '2026-01-02T03:04:05.000Z'

/** Escapes, a mark of direction and a line end, as an agent might send them. */
export const hostile = 'red\u001b[31m \u202egnp.exe\u200b\r\n\u0007end\u009b2J'
export const hostileShown = 'red\\u{1b}[31m \\u{202e}gnp.exe\\u{200b}\\u{d}\\n\\u{7}end\\u{9b}2J'

export const change = v.parse(Change, {
  id: 'chg_20260102030405.000000001',
  kind: 'mcp_access',
  agentGroupID: 'dev-agent',
  requestedBy: 'cli:alice',
  principal: 'admin',
  reason: 'to test the line',
  state: 'held',
  before: { tools: ['add'] },
  after: { server: 'sample', tools: ['echo'] },
  diff: [
    { op: 'add', path: '/tools/1', value: 'echo' },
    { op: 'remove', path: '/tools/0' },
  ],
  summary: 'dev-agent may call echo of sample',
  evidence: { tools: [{ name: 'echo', description: hostile }] },
  risk: 'medium',
  digest,
  createdAt: at,
  decisions: [{ outcome: 'approve', by: 'bob', principal: 'admin', at, digest }],
})

export const changeView = v.parse(ChangeView, { ...change, conditions: [] })

const power = (name: string, marks: readonly string[] = []) => ({ area: 'server-tool', name, marks })

export const reach = v.parse(Reach, {
  agentGroupID: 'dev-agent',
  why: ['it deletes files'],
  moved: false,
  can: [power('sample__add'), power('sample__kept')],
  could: [power('sample__kept'), power('sample__echo', ['destructive'])],
})

const entry = (seq: number, stage: string): AuditEntry =>
  v.parse(AuditEntry, {
    seq,
    time: at,
    stage,
    edge: 'gateway.control-plane',
    principal: 'admin',
    changeID: change.id,
    kind: change.kind,
    agentGroupID: change.agentGroupID,
    detail: {},
    prev: digest,
    hash: digest,
  })

export const entries = [entry(1, 'submit'), entry(2, 'approve'), entry(3, 'apply')]

export const servers = [
  v.parse(ServerView, {
    name: 'sample',
    entry: { transport: 'stdio', command: 'node', args: ['main.mjs'], env: { TOKEN: '••••' } },
    digest,
    tag: digest,
    state: { status: 'up', tools: 2 },
  }),
  v.parse(ServerView, { name: 'far', entry: { transport: 'http', url: 'https://mcp.example.org/mcp' }, digest, tag: digest }),
]

export const put = (entry: unknown) => v.parse(PutServerAnswer, { name: 'fresh', entry, digest, tag: digest, grants: [] })

export const probe = v.parse(ProbeResult, {
  tools: [
    { name: 'echo', description: 'Says it again', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } },
    { name: 'add', description: hostile, inputSchema: { type: 'object', properties: { a: {}, b: {} } } },
  ],
  server: { name: 'sample', version: '1.0.0', protocol: '2025-11-25' },
  elapsedMs: 12.4,
})

const written = (seq: number, text: string, session?: string) => ({ seq, at, text, ...(session !== undefined && { session }) })

/** By what was asked for; nothing behind the third. */
export const logs: Readonly<Record<string, ServerLogs>> = {
  '': v.parse(ServerLogs, { items: [written(1, 'started'), written(2, hostile, 'ses_abcdefghijklm')], next: 2, missed: false }),
  'after=2': v.parse(ServerLogs, { items: [written(3, 'more')], next: 3, missed: false }),
}

export const status = v.parse(Status, {
  version: '0.0.0',
  mode: 'dev',
  open: true,
  principal: { name: 'dev', role: 'admin' },
  startedAt: at,
  mcp: { enabled: true, isolation: 'none', pinning: 'refuse' },
  approvals: 1,
  frozen: [],
  sandbox: { driver: 'bubblewrap', status: 'ok', missing: ['own uid per group'] },
  processes: [{ name: 'gateway', pid: 4711, state: 'ready', restarts: 1, since: at }],
  degraded: ['broker'],
  held: 2,
})

/** The history of a group that was already talked with, and the reply to each text sent since. */
export const messages = (texts: number): ChatMessage[] => {
  const message = (seq: number, rest: object): ChatMessage =>
    v.parse(ChatMessage, { id: `m-${seq}`, conversationId: 'console', seq, at, ...rest })
  const old = [message(1, { from: 'user', text: 'before' }), message(2, { from: 'agent', text: 'echo: before', inReplyTo: 'm-1' })]
  const fresh = Array.from({ length: texts }, (_, index) => [
    message(3 + index * 3, { from: 'user', text: 'hello' }),
    message(4 + index * 3, { from: 'system', text: 'a note' }),
    message(5 + index * 3, {
      from: 'agent',
      text: `echo: ${hostile}`,
      inReplyTo: 'msg-1',
      files: [{ name: hostile, path: `/workspace/${hostile}`, size: 3 }],
    }),
  ])
  return [...old, ...fresh.flat()]
}

export const callRecords = v.parse(v.array(CallRecord), [
  {
    id: 'm-1',
    time: at,
    session: 'ses_abcdefghijklm',
    agentGroupID: 'dev-agent',
    server: 'sample',
    op: 'list',
    status: 'ok',
    bytes: 200,
    duration: 1.25,
  },
  {
    id: 'm-2',
    time: at,
    session: 'ses_abcdefghijklm',
    agentGroupID: 'dev-agent',
    server: 'sample',
    tool: hostile,
    op: 'call',
    status: 'refused',
    code: 'not-granted',
    bytes: 300,
    duration: 0.5,
  },
])

export const group = v.parse(AgentGroup, {
  id: 'dev-agent',
  name: hostile,
  agent: 'mock',
  persona: hostile,
  members: [{ channel: 'slack', user: hostile }],
  limits: { memoryMiB: 256 },
  createdAt: at,
  origin: 'seed',
})

export const grant = v.parse(GrantView, {
  agentGroupID: 'dev-agent',
  server: 'sample',
  tools: ['echo', hostile],
  changeID: change.id,
  grantedAt: at,
  expiresAt: at,
  maxCalls: 10,
  state: 'active',
  calls: 3,
  expired: true,
  exhausted: false,
  serverChanged: true,
  changed: [hostile],
  added: [],
})

export const wired = v.parse(Wired, {
  channel: 'slack',
  address: hostile,
  engage: 'pattern',
  pattern: hostile,
  session: 'shared',
  agentGroupID: 'dev-agent',
  changeID: change.id,
})

export const session = v.parse(SessionStatus, {
  id: 'ses_abcdefghijklm',
  agentGroupID: 'dev-agent',
  conversationId: 'console',
  state: 'idle',
  waiting: 0,
  launches: 1,
  lastExit: hostile,
})

export const token = v.parse(Token, {
  name: 'alice',
  role: 'approver',
  groups: ['dev-agent'],
  createdAt: at,
  createdBy: 'admin',
  lastUsedAt: at,
})

export const explanation = v.parse(Explanation, {
  agentGroupID: 'dev-agent',
  tool: 'sample__echo',
  allowed: true,
  summary: hostile,
  steps: [{ check: 'grant', passed: true, detail: hostile }],
})

export const preview = v.parse(Preview, {
  state: 'held',
  before: null,
  diff: [{ op: 'add', path: '/tools/0', value: hostile }],
  summary: hostile,
  evidence: { note: hostile },
  risk: 'low',
  digest,
})

export const news = {
  seq: 7,
  time: at,
  stage: 'submit',
  principal: hostile,
  changeID: change.id,
  kind: 'mcp_access',
  agentGroupID: 'dev-agent',
}

export const frozen = v.parse(Freeze, { reason: hostile, by: 'admin', at })
