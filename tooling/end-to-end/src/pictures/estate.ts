// A unit like one in production: twelve agent groups, six tool servers, changes of every kind, people who decide, and sessions.
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@gatehouse/client'
import type { Unit } from '../unit.ts'
import { waitFor } from '../wait-for.ts'

type Client = Unit['client']

interface Request {
  readonly kind: string
  readonly group: string
  readonly after: object
  readonly reason?: string
}

const groups = [
  ['billing', 'Billing questions', 'You answer questions about invoices. Never refund without a ticket.'],
  ['research', 'Market research', 'You read public pages and write one page a week.'],
  ['release-bot', 'Release bot', 'You prepare releases: changelog, version, pull request.'],
  ['triage', 'Issue triage', 'You label new issues and ask for what is missing.'],
  ['docs-writer', 'Documentation', 'You keep the wiki current. Cite the commit of each statement.'],
  ['on-call', 'On-call helper', 'You collect what is known about an alert.'],
  ['finance-ops', 'Finance operations', 'You reconcile charges with invoices every night.'],
  ['data-quality', 'Data quality', 'You look for records that contradict each other.'],
  ['translations', 'Translations', 'You translate the help pages.'],
  ['sales-assist', 'Sales assistant', 'You prepare meetings.'],
  ['security-review', 'Security review', 'You read pull requests for known weaknesses.'],
] as const

const localServers = ['tickets', 'payments', 'wiki', 'github', 'calendar'] as const

const grants: readonly (readonly [group: string, server: string, tools: readonly string[], more?: object])[] = [
  ['billing', 'payments', ['list_charges', 'create_invoice'], { maxCalls: 500 }],
  ['billing', 'tickets', ['search', 'read', 'comment']],
  ['release-bot', 'github', ['list_issues', 'get_file', 'create_pull_request']],
  ['triage', 'github', ['list_issues']],
  ['docs-writer', 'wiki', []],
  ['docs-writer', 'github', ['get_file']],
  ['on-call', 'wiki', ['search', 'read_page']],
  ['sales-assist', 'calendar', ['free_busy']],
  ['security-review', 'github', ['list_issues', 'get_file']],
]

const decided: readonly Request[] = [
  { kind: 'permissions', group: 'billing', after: { limits: { modelTokensPerDay: 2_000_000, callsPerMinute: 60 } } },
  { kind: 'permissions', group: 'research', after: { limits: { memoryMiB: 2_048, cpus: 2 } } },
  { kind: 'wiring', group: 'on-call', after: { channel: 'slack', address: 'C0ONCALL', engage: 'mention', session: 'thread' } },
  { kind: 'wiring', group: 'sales-assist', after: { channel: 'slack', address: 'C0SALES', engage: 'all', session: 'person' } },
  { kind: 'tools', group: 'triage', after: { enabled: ['read_file', 'list_dir', 'search', 'read_persona'] } },
  {
    kind: 'permissions',
    group: 'on-call',
    after: {
      members: [
        { channel: 'slack', user: 'U0ADA' },
        { channel: 'slack', user: 'U0BEN' },
      ],
    },
  },
]

const rejected: readonly Request[] = [
  { kind: 'mcp_access', group: 'billing', after: { server: 'payments', tools: [] }, reason: 'Simpler than naming them.' },
  { kind: 'mcp_access', group: 'triage', after: { server: 'github', tools: ['list_issues', 'delete_branch'] } },
  { kind: 'persona', group: 'research', after: { instructions: 'Write whatever sells.' } },
]

const pending: readonly Request[] = [
  {
    kind: 'mcp_access',
    group: 'billing',
    after: { server: 'payments', tools: ['list_charges', 'create_invoice', 'refund'], maxCalls: 100 },
    reason: 'Refunds below 20 euros take us two days each. Limited to 100 calls.',
  },
  { kind: 'mcp_access', group: 'security-review', after: { server: 'github', tools: [] }, reason: 'It reviews every repository.' },
  { kind: 'mcp_access', group: 'on-call', after: { server: 'tickets', tools: ['search', 'read'] }, reason: 'To find known issues.' },
  {
    kind: 'persona',
    group: 'billing',
    after: {
      instructions:
        'You answer questions about invoices.\nNever refund without a ticket.\nRefunds over 20 euros go to a person.\nName the ticket in each answer.',
    },
    reason: 'Agreed with finance on Monday.',
  },
  {
    kind: 'permissions',
    group: 'research',
    after: { limits: { modelTokensPerDay: 5_000_000, memoryMiB: 4_096 } },
    reason: 'The weekly report ran out of tokens on Thursday.',
  },
  {
    kind: 'permissions',
    group: 'sales-assist',
    after: { members: [] },
    reason: 'Everybody in the channel should be able to ask.',
  },
  {
    kind: 'tools',
    group: 'data-quality',
    after: { enabled: ['read_file', 'list_dir', 'search', 'run_script'] },
    reason: 'To compare files.',
  },
  {
    kind: 'wiring',
    group: 'triage',
    after: { channel: 'webhook', address: 'new-issue', engage: 'all', session: 'shared' },
    reason: 'GitHub tells it about new issues.',
  },
  { kind: 'mcp_revoke', group: 'sales-assist', after: { server: 'calendar' } },
  {
    kind: 'mcp_register',
    group: 'finance-ops',
    after: { name: 'ledger', transport: 'http', url: 'https://ledger.example.com/mcp', headers: {}, reach: 'public' },
    reason: 'The nightly reconciliation needs it.',
  },
  {
    kind: 'agent_create',
    group: 'legal',
    after: { id: 'legal', name: 'Contract review', agent: 'mock', persona: 'You compare contracts with our template.' },
  },
  { kind: 'agent_remove', group: 'translations', after: {}, reason: 'Replaced by an agency.' },
]

const submit = async (client: Client, { kind, group, after, reason }: Request, by: string): Promise<string> => {
  const { id } = await client.changes.submit({ kind, agentGroupID: group, after, requestedBy: by, ...(reason !== undefined && { reason }) })
  return id
}

const addServers = async (client: Client, folder: string): Promise<void> => {
  const program = join(folder, 'tools.mjs')
  await copyFile(join(import.meta.dirname, 'tools.mjs'), program)
  for (const name of localServers) {
    await client.servers.put(name, { transport: 'stdio', command: 'node', args: [program, name], env: {} })
    await client.servers.probe(name)
  }
  await client.servers.put('warehouse', { transport: 'http', url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer secret' } })
  await client.servers.probe('warehouse').catch(() => undefined)
}

/** Echoes, tool calls that are allowed, and some that are not. */
const addSessions = async (client: Client, count: number): Promise<void> => {
  const messages = [
    'tool:tickets__search {"words":"invoice"}',
    'tool:payments__list_charges {"customer":"cus_118"}',
    'tool:payments__refund {"charge":"ch_1","amount":"1900"}',
    'tool:github__list_issues {"repository":"acme/shop"}',
    'tool:wiki__search {"words":"deploy"}',
    'Good morning. What is new?',
  ]
  for (let place = 0; place < count; place += 1) {
    const group = groups[place % groups.length]?.[0] ?? 'billing'
    const conversationId = `case-${String(100 + place)}`
    for (const text of [messages[place % messages.length] ?? '', messages[(place + 3) % messages.length] ?? '']) {
      const { messageId } = await client.chat.send({ agentGroupID: group, conversationId, text })
      await waitFor(`an answer in ${conversationId}`, 120_000, async () => {
        const list = await client.chat.messages(group, { conversation: conversationId })
        return list.messages.some(({ inReplyTo }) => inReplyTo === messageId)
      })
    }
  }
}

export interface EstateOptions {
  /** Where the program of the tool servers is copied to: the pages show its path. */
  readonly folder: string
  readonly sessions: number
}

type Outcome = 'approve' | 'reject'

interface Decided extends Request {
  readonly outcome: Outcome
  readonly by: string
  readonly because?: string
}

const history: readonly Decided[] = [
  ...groups.map(([id, name, persona]): Decided => ({
    kind: 'agent_create',
    group: id,
    after: { id, name, agent: 'mock', persona },
    outcome: 'approve',
    by: 'cli:ada',
  })),
  ...grants.map(([group, server, tools, more]): Decided => ({
    kind: 'mcp_access',
    group,
    after: { server, tools, ...more },
    outcome: 'approve',
    by: 'cli:ada',
  })),
  ...decided.map((request): Decided => ({ ...request, outcome: 'approve', by: 'cli:ada', because: 'Agreed in the weekly review.' })),
  ...rejected.map((request): Decided => ({ ...request, outcome: 'reject', by: 'console:joe', because: 'Not before the audit in March.' })),
]

/** Three people with tokens of their own decide in turn. */
const carryOut = async ({ client, address }: Unit): Promise<void> => {
  const people = ['grace', 'ben', 'carla'] as const
  const tokens = await Promise.all(people.map((name) => client.tokens.create({ name, role: 'approver' })))
  for (const [place, { outcome, by, because, ...request }] of history.entries()) {
    const id = await submit(client, request, by)
    const turn = place % people.length
    const approver = createClient({ address, token: tokens[turn]?.token ?? '' })
    await approver.changes.decide(id, { outcome, decidedBy: `console:${people[turn]}`, ...(because !== undefined && { reason: because }) })
  }
}

/** Fills a unit whose client is the admin's. The changes that stay pending are the last ones. */
export const fillEstate = async (unit: Unit, { folder, sessions }: EstateOptions): Promise<void> => {
  const { client } = unit
  await addServers(client, folder)
  await client.servers.remove('sample')
  await carryOut(unit)
  await addSessions(client, sessions)
  for (const [place, request] of pending.entries()) await submit(client, request, place % 3 === 0 ? 'cli:ada' : 'console:joe')
  await client.tokens.create({ name: 'night-watch', role: 'auditor' })
  await client.freezes.freeze({ agentGroupID: 'translations', reason: 'replaced next week' })
}
