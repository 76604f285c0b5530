// Every call of people, and every route that asks for a permit: the least role for it, as the contract's table says, and
// what it is asked about a group that a token does not see. A call without a row fails the tests.
import type { gatewayControlPlane, PermitRoute, Role } from '@gatehouse/contracts'

type CallName = Exclude<keyof (typeof gatewayControlPlane)['calls'], 'permit'>
export type RowName = CallName | `permit ${PermitRoute}`

/** Ids of what is there, all of one group. */
export interface There {
  readonly group: string
  readonly held: string
  readonly applied: string
  readonly failed: string
  readonly session: string
}

export interface Row {
  readonly least: Role
  params(there: There): Readonly<Record<string, unknown>>
  /**
   * What a token of another group gets, whatever its role: an error, or an answer in which this group is not.
   */
  readonly elsewhere: 'not-found' | 'forbidden' | 'answer'
}

const page = { limit: 200 }
const entry = { transport: 'stdio', command: '/bin/cat', args: ['-u'], env: {} }
const submission = ({ group }: There) => ({ submission: { kind: 'persona', agentGroupID: group, after: { instructions: 'x' } } })

const row = (least: Role, elsewhere: Row['elsewhere'], params: Row['params'] = () => ({})): Row => ({ least, elsewhere, params })

export const rows: Readonly<Record<RowName, Row>> = {
  pending: row('auditor', 'answer', () => page),
  heldCount: row('auditor', 'answer'),
  history: row('auditor', 'answer', () => page),
  change: row('auditor', 'not-found', ({ held }) => ({ id: held })),
  evidence: row('auditor', 'not-found', ({ held }) => ({ id: held })),
  reach: row('auditor', 'not-found', ({ held }) => ({ id: held })),
  audit: row('auditor', 'answer', () => page),
  auditHead: row('auditor', 'answer'),
  auditVerify: row('auditor', 'answer'),
  news: row('auditor', 'answer', () => ({ after: 0, limit: 200 })),
  groups: row('auditor', 'answer'),
  group: row('auditor', 'not-found', ({ group }) => ({ agentGroupID: group })),
  wirings: row('auditor', 'answer'),
  grants: row('auditor', 'answer'),
  explain: row('auditor', 'not-found', ({ group }) => ({ agentGroupID: group, tool: 'sample__echo' })),
  servers: row('auditor', 'answer'),
  server: row('auditor', 'answer', () => ({ name: 'sample' })),
  declaredTools: row('auditor', 'answer', () => ({ name: 'sample' })),
  freezes: row('auditor', 'answer'),

  submit: row('requester', 'not-found', submission),
  preview: row('requester', 'not-found', submission),
  withdraw: row('requester', 'not-found', ({ held }) => ({ id: held })),
  revert: row('requester', 'not-found', ({ applied }) => ({ id: applied })),

  decide: row('approver', 'not-found', ({ held }) => ({ id: held, outcome: 'reject', decidedBy: 'x', digest: 'f'.repeat(64) })),
  retry: row('approver', 'not-found', ({ failed }) => ({ id: failed })),
  freeze: row('approver', 'not-found', ({ group }) => ({ agentGroupID: group, reason: 'x' })),
  terminate: row('approver', 'not-found', ({ session }) => ({ session })),

  unfreeze: row('admin', 'not-found', ({ group }) => ({ agentGroupID: group, reason: 'x' })),
  putServer: row('admin', 'forbidden', () => ({ name: 'another', entry })),
  removeServer: row('admin', 'forbidden', () => ({ name: 'absent' })),
  reload: row('admin', 'forbidden'),
  tokens: row('admin', 'forbidden'),
  createToken: row('admin', 'forbidden', () => ({ wanted: { name: 'again', role: 'auditor' } })),
  revokeToken: row('admin', 'forbidden', () => ({ name: 'nobody-at-all' })),

  'permit status': row('auditor', 'answer'),
  'permit sessions': row('auditor', 'answer'),
  'permit calls': row('auditor', 'answer'),
  'permit models': row('auditor', 'answer'),
  'permit model-calls': row('auditor', 'answer'),
  'permit channels': row('auditor', 'answer'),
  'permit events': row('auditor', 'answer'),
  'permit metrics': row('auditor', 'forbidden'),
  'permit chat': row('requester', 'not-found', ({ group }) => ({ agentGroupID: group })),
  'permit cancel': row('requester', 'not-found', ({ session }) => ({ session })),
  'permit files': row('requester', 'not-found', ({ group }) => ({ agentGroupID: group })),
  'permit files-put': row('requester', 'not-found', ({ group }) => ({ agentGroupID: group })),
  'permit files-remove': row('requester', 'not-found', ({ group }) => ({ agentGroupID: group })),
  'permit probe': row('approver', 'answer'),
  'permit logs': row('approver', 'not-found', ({ session }) => ({ session })),
  'permit resume': row('approver', 'not-found', ({ session }) => ({ session })),
  'permit purge': row('admin', 'not-found', ({ session }) => ({ session })),
  'permit backup': row('admin', 'forbidden'),
  'permit server-login': row('admin', 'forbidden'),

  'permit mcp': row('client', 'forbidden'),
  clientSubmit: row('client', 'forbidden', () => ({ kind: 'mcp_access', after: { server: 'sample', tools: ['echo'] } })),
  clientChange: row('client', 'forbidden', ({ held }) => ({ id: held })),
  clientWithdraw: row('client', 'forbidden', ({ held }) => ({ id: held })),
}
