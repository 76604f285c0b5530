// The permissions of each role.
import { clientRole, roles } from '@gatehouse/contracts'
import { hasRole, rights } from '../../../../packages/gateway/src/state/roles.ts'
import { page, table } from '../page.ts'

type Act = keyof typeof rights

/** A description of each act; an act without one is listed by its name. */
const words: Readonly<Partial<Record<Act, string>>> = {
  channels: 'list channels and undelivered messages',
  pending: 'list pending changes',
  heldCount: 'count pending changes',
  history: 'list decided changes',
  change: 'view a change',
  evidence: 'view the complete evidence of a change',
  reach: 'view effective access, before and after a change',
  audit: 'read the audit log',
  auditHead: 'read the head of the audit log',
  auditVerify: 'verify the audit log',
  news: 'follow the audit log',
  events: 'follow events',
  groups: 'list agent groups',
  group: 'view an agent group',
  wirings: 'list wirings',
  grants: 'list grants',
  explain: 'explain why a call is allowed or denied',
  servers: 'list catalog entries, values masked',
  server: 'view a catalog entry',
  declaredTools: 'view the tools that a server declared when they were last listed',
  freezes: 'list freezes',
  status: 'view unit status',
  sessions: 'list sessions',
  calls: 'read tool call records',
  models: 'list model providers',
  'model-calls': 'read model call records',
  metrics: 'read metrics',
  submit: 'submit a change',
  preview: 'preview a change (dry run)',
  withdraw: 'withdraw its own request',
  revert: 'submit the inverse of a change',
  chat: 'talk to an agent',
  cancel: 'cancel what an agent is doing',
  files: 'read files of a group',
  'files-put': 'write files of a group',
  'files-remove': 'remove files of a group',
  decide: 'approve and reject changes',
  retry: 'retry a failed apply',
  freeze: 'freeze a group or the unit',
  terminate: 'terminate a session',
  resume: 'resume a parked session',
  probe: 'probe a tool server, a model provider or the seal',
  logs: 'read output of sandboxes and tool servers',
  unfreeze: 'lift a freeze',
  purge: 'delete the messages of a closed session',
  putServer: 'write a catalog entry',
  removeServer: 'remove a catalog entry',
  reload: 'reload the catalog file',
  tokens: 'list tokens',
  createToken: 'create a token',
  revokeToken: 'revoke a token',
  backup: 'take a backup',
  mcp: 'list and call tools at the MCP endpoint',
  clientSubmit: 'request a change for its own group at the MCP endpoint',
  clientChange: 'view the state of such a request',
  clientWithdraw: 'withdraw such a request',
}

const columns = [...roles, clientRole] as const

const isAct = (name: string): name is Act => Object.hasOwn(rights, name)

export const rolesPage = (): string =>
  page(
    'Roles',
    'A token has one role. The roles `auditor` to `admin` ascend; `client` is for MCP clients outside of the unit and has no other permission. Everything that is not in this table is denied. A token with `groups` can see and do nothing outside these groups, and nothing that concerns the whole unit. A token may not decide its own request, with two exceptions: the admin token, and changes that only remove access. See [roles and approvals](../explanation/deciding.md#roles-and-approvals).',
    table(
      ['may', ...columns, 'whole unit only'],
      Object.keys(rights)
        .filter(isAct)
        .map((act) => [
          words[act] ?? act,
          ...columns.map((role) => (hasRole({ role }, rights[act].minimum) ? 'yes' : '')),
          rights[act].wholeUnit ? 'yes' : '',
        ]),
    ),
  )
