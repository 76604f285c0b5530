// The stages and fields of a journal line.
import { type AuditStage, AuditEntry, auditStages } from '@gatehouse/contracts'
import { code, page, table } from '../page.ts'
import { fieldsOf, schemaOf } from '../schema.ts'

/** A stage that is added must be explained here. */
const meanings: Readonly<Record<AuditStage, string>> = {
  submit: 'a change was submitted, and is held',
  refuse: 'a verifier refused a change; the rule and reason are recorded',
  approve: 'a principal approved a change',
  reject: 'a principal rejected a change',
  withdraw: 'the requester withdrew a change',
  expire: 'no one decided in time',
  apply: 'a change took effect',
  'apply-failed': 'an approved change could not be applied',
  retry: 'a failed apply is retried',
  'self-approved': 'the admin token approved its own request',
  rebased: 'an approval without a digest was checked against the current state',
  'catalog-put': 'an operator created or replaced a catalog entry',
  'catalog-delete': 'an operator removed a catalog entry',
  'catalog-reload': 'the catalog file was reloaded; lists each difference',
  'server-login': 'the unit was logged in at a remote tool server; holds the digest of the token',
  'server-logout': 'a login at a remote tool server ended: asked for, refused by its server, or its entry changed',
  'token-create': 'a token was created, or the admin token reset',
  'token-revoke': 'a token was revoked',
  'auth-failed': 'a wrong token was presented; repeated failures share one line',
  freeze: 'the unit or a group was frozen',
  unfreeze: 'a freeze was lifted',
  'observed-drift': 'a tool definition no longer matches its pin, or the catalog file was edited outside the unit',
  'seal-proof': 'the seal was proved; lists missing controls',
  launch: 'a sandbox was started',
  exit: 'a sandbox ended',
  kill: 'a limit ended a sandbox',
  park: 'a session was parked: it does not restart automatically',
  resume: 'a parked session was resumed',
  terminate: 'a session was closed',
  purge: 'the messages and key of a closed session were deleted',
  'files-put': 'a file of a group was written: place, path, bytes, digest',
  'files-remove': 'a file of a group was removed: place, path, kind',
  seed: 'the initial groups of `--dev` or `--demo` were created',
  start: 'the gateway started',
  stop: 'the gateway stopped cleanly',
  recovered:
    'a partial last line was moved aside, the journal became writable again, or a wiring was removed because its address duplicates an earlier one',
  checkpoint: 'a signature of the head',
  epoch: 'the master key was rotated',
  backup: 'a backup was requested',
  restored: 'the state was restored from a backup; lists tokens and grants',
}

export const stagesPage = (): string =>
  page(
    'Audit stages',
    'Each decision is a line of `audit.jsonl` before it takes effect. `svcctl audit --stage STAGE` filters by stage, `svcctl audit verify` verifies the whole file: [the journal](../explanation/deciding.md#the-journal).',
    table(
      ['stage', 'meaning'],
      auditStages.map((stage) => [code(stage), meanings[stage]]),
    ),
    '## Fields of a line',
    fieldsOf(schemaOf(AuditEntry)),
    '`hash` is the SHA-256 of the bytes of the previous line; `prev` is the hash before that. `detail` never contains secret values.',
  )
