// Who may do what.
import { roles } from '@gatehouse/contracts'
import { hasRole, rights } from '../../../../packages/gateway/src/state/roles.ts'
import { page, table } from '../page.ts'

type Act = keyof typeof rights

/** What each act is to people; one that is not told here goes by its name. */
const words: Readonly<Partial<Record<Act, string>>> = {
  channels: 'see channels, and what they could not deliver',
  pending: 'see changes that wait',
  heldCount: 'see how many wait',
  history: 'see changes that were decided',
  change: 'see one change',
  evidence: 'see the whole evidence of a change',
  reach: 'see what an agent can do, and could after a change',
  audit: 'read the journal',
  auditHead: 'read the head of the journal',
  auditVerify: 'have the journal checked',
  news: 'read what the journal says, as it comes',
  events: 'follow events',
  groups: 'see agent groups',
  group: 'see one agent group',
  wirings: 'see wirings',
  grants: 'see grants',
  explain: 'ask what decides a call',
  servers: 'see the catalog, values masked',
  server: 'see one entry',
  freezes: 'see what is frozen',
  status: 'see how the unit is',
  sessions: 'see sessions',
  calls: 'read records of tool calls',
  models: 'see providers of models',
  'model-calls': 'read records of model requests',
  metrics: 'read metrics',
  submit: 'ask for a change',
  preview: 'see what a change would do',
  withdraw: 'take back what it asked for',
  revert: 'ask for the inverse of a change',
  chat: 'talk to an agent',
  cancel: 'stop what an agent is at',
  files: 'read files of an agent',
  'files-put': 'give an agent a file',
  'files-remove': 'remove a file of an agent',
  decide: 'approve and reject',
  retry: 'try a failed apply again',
  freeze: 'freeze',
  terminate: 'close a session',
  resume: 'resume a parked session',
  probe: 'probe a tool server, a provider, the seal',
  logs: 'read what sandboxes and tool servers printed',
  unfreeze: 'lift a freeze',
  purge: 'delete what was said in a closed session',
  putServer: 'write an entry of the catalog',
  removeServer: 'remove an entry of the catalog',
  reload: 'have the catalog file read again',
  tokens: 'see tokens',
  createToken: 'make a token',
  revokeToken: 'revoke a token',
  backup: 'take a backup',
}

const isAct = (name: string): name is Act => Object.hasOwn(rights, name)

export const rolesPage = (): string =>
  page(
    'Roles',
    'A token has one role. What is not in this table nobody may do. A token with `groups` sees and does nothing outside of them, and never what concerns the whole unit. Nobody decides over what the same token asked for, but the admin token, and anybody where a change only takes power away: [who decides](../explanation/deciding.md#roles-and-approvals).',
    table(
      ['may', ...roles, 'whole unit only'],
      Object.keys(rights)
        .filter(isAct)
        .map((act) => [
          words[act] ?? act,
          ...roles.map((role) => (hasRole({ role }, rights[act].least) ? 'yes' : '')),
          rights[act].wholeUnit ? 'yes' : '',
        ]),
    ),
  )
