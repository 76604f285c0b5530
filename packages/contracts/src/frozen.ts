// Constants that must not change between releases: state directories, agents and grants depend on them.
// A test fails when one changes without a new state schema.

export const stateSchema = 1

/** Separates server and tool in the names that agents see. */
export const toolSeparator = '__'

/** The kinds that the specification names. */
export const specKinds = ['persona', 'tools', 'packages', 'wiring', 'permissions', 'mounts', 'mcp_access', 'mcp_register'] as const

/** uid and gid inside a sandbox. */
export const sandboxUid = 65532

/** Paths of the host's sockets inside a sandbox. */
export const sandboxSockets = {
  session: '/run/gatehouse/session/session.sock',
  model: '/run/gatehouse/model/model.sock',
  tools: '/run/gatehouse/tools/tools.sock',
} as const

export const stateFiles = {
  state: 'state.json',
  keyring: 'keyring.json',
  adminToken: 'admin-token',
  database: 'gateway.db',
  audit: 'audit.jsonl',
  auditReserve: 'audit.reserve',
  journalKey: 'journal.pub',
  catalog: 'mcp-catalog.json',
  calls: 'calls.jsonl',
  modelCalls: 'model-calls.jsonl',
  keys: 'keys',
  queues: 'queues',
  groups: 'groups',
  packages: 'packages',
  locks: 'locks',
} as const

export const auditStages = [
  'submit',
  'refuse',
  'approve',
  'reject',
  'withdraw',
  'expire',
  'apply',
  'apply-failed',
  'retry',
  'self-approved',
  'rebased',
  'catalog-put',
  'catalog-delete',
  'catalog-reload',
  'server-login',
  'server-logout',
  'token-create',
  'token-revoke',
  'auth-failed',
  'freeze',
  'unfreeze',
  'observed-drift',
  'seal-proof',
  'launch',
  'exit',
  'kill',
  'park',
  'resume',
  'terminate',
  'purge',
  'files-put',
  'files-remove',
  'seed',
  'start',
  'stop',
  'recovered',
  'checkpoint',
  'epoch',
  'backup',
  'restored',
] as const

export type AuditStage = (typeof auditStages)[number]

/** The token of `--demo`. It is public, so no other mode accepts it. */
export const demoToken = 'gatehouse-demo-token-not-a-secret-0000'

/** Replaces stored secret values in all answers. */
export const mask = '••••'
