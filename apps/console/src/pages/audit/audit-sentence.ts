// One sentence for each record of the audit log. Pure functions.
import { type AuditEntry, type auditStages, Change } from '@gatehouse/contracts'
import { changeTitle } from '../../components/diff/change-title.ts'
import { readAs } from '../../components/read-as.ts'

type Stage = (typeof auditStages)[number]

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}

const textAt = (entry: AuditEntry, ...path: readonly string[]): string => {
  const value = path.reduce<unknown>((object, key) => fieldsOf(object)[key], entry.detail)
  return typeof value === 'string' ? value : ''
}

/** Who acted, as the record has it. */
export const actorOf = ({ principal, by }: AuditEntry): string => (by === undefined || by === principal ? principal : by)

const changeOf = ({ kind, agentGroupID, detail }: AuditEntry): string => {
  const change = readAs(Change, detail['change'])
  if (change !== undefined) return `: ${changeTitle(change)}`
  return ` ${kind ?? 'a change'}${agentGroupID === undefined ? '' : ` for ${agentGroupID}`}`
}

const because = (reason: string): string => (reason === '' ? '' : ` (“${reason}”)`)
const group = ({ agentGroupID }: AuditEntry): string => agentGroupID ?? 'the whole unit'
const session = (entry: AuditEntry): string => textAt(entry, 'session')

const sentences: Readonly<Record<Stage, (entry: AuditEntry) => string>> = {
  submit: (entry) => `requested${changeOf(entry)}`,
  refuse: (entry) => `was refused${changeOf(entry)}`,
  approve: (entry) => `approved${changeOf(entry)}${because(textAt(entry, 'decision', 'reason'))}`,
  reject: (entry) => `rejected${changeOf(entry)}${because(textAt(entry, 'decision', 'reason'))}`,
  withdraw: (entry) => `withdrew${changeOf(entry)}`,
  expire: (entry) => `expired${changeOf(entry)}`,
  apply: (entry) => `applied${changeOf(entry)}`,
  'apply-failed': (entry) => `could not apply${changeOf(entry)}`,
  retry: (entry) => `retried${changeOf(entry)}`,
  'self-approved': (entry) => `approved its own request${changeOf(entry)}`,
  rebased: (entry) => `judged an approval again on the present state${changeOf(entry)}`,
  'catalog-put': (entry) => `saved MCP server ${textAt(entry, 'name')}`,
  'catalog-delete': (entry) => `removed MCP server ${textAt(entry, 'name')}`,
  'catalog-reload': () => 'read the catalog file',
  'server-login': (entry) => `logged in at MCP server ${textAt(entry, 'server')}`,
  'server-logout': (entry) => `ended the login at MCP server ${textAt(entry, 'server')}`,
  'token-create': (entry) => `created a token${textAt(entry, 'token', 'name') === '' ? '' : ` for ${textAt(entry, 'token', 'name')}`}`,
  'token-revoke': (entry) => `revoked the token of ${textAt(entry, 'name')}`,
  'auth-failed': () => 'presented a wrong token',
  freeze: (entry) => `froze ${group(entry)}${because(textAt(entry, 'freeze', 'reason'))}`,
  unfreeze: (entry) => `lifted the freeze of ${group(entry)}${because(textAt(entry, 'reason'))}`,
  'observed-drift': () => 'observed that a definition differs from what was approved',
  'seal-proof': () => 'proved the sandbox seal',
  launch: (entry) => `launched a sandbox for ${group(entry)}`,
  exit: (entry) => `ended a sandbox of ${group(entry)}`,
  kill: (entry) => `killed a sandbox of ${group(entry)} at a limit`,
  park: (entry) => `parked session ${session(entry)}`,
  resume: (entry) => `resumed session ${session(entry)}`,
  terminate: (entry) => `terminated session ${session(entry)}`,
  purge: (entry) => `purged session ${session(entry)}`,
  'files-put': (entry) => `gave ${group(entry)} the file ${textAt(entry, 'path')}`,
  'files-remove': (entry) => `removed the file ${textAt(entry, 'path')} of ${group(entry)}`,
  seed: (entry) => `created ${group(entry)} at the first start`,
  start: () => 'started',
  stop: () => 'stopped',
  recovered: () => 'recovered the audit log or a connection',
  checkpoint: () => 'signed the head of the audit log',
  epoch: () => 'rotated the master key',
  backup: () => 'took a backup',
  restored: () => 'restored the state from a backup',
}

/** Without its subject, such as "approved persona for billing". */
export const auditSentence = (entry: AuditEntry): string => {
  const sentence = Object.entries(sentences).find(([stage]) => stage === entry.stage)?.[1]
  return sentence?.(entry) ?? entry.stage
}

/** Records that only say that the log itself was continued. */
export const isRoutine = ({ stage }: Pick<AuditEntry, 'stage'>): boolean => stage === 'checkpoint'
