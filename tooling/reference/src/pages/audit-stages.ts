// What a line of the journal may say.
import { type AuditStage, AuditEntry, auditStages } from '@gatehouse/contracts'
import { code, page, table } from '../page.ts'
import { fieldsOf, schemaOf } from '../schema.ts'

/** A stage that is added must be explained here. */
const meanings: Readonly<Record<AuditStage, string>> = {
  submit: 'a change was asked for, and is held',
  refuse: 'a verifier refused a change; rule and reason are kept',
  approve: 'a principal approved a change',
  reject: 'a principal rejected a change',
  withdraw: 'its requester took a change back',
  expire: 'nobody decided in time',
  apply: 'a change took effect',
  'apply-failed': 'an approved change could not be applied',
  retry: 'an apply that failed is tried again',
  'self-approved': 'the admin token approved what it had asked for itself',
  rebased: 'an approval without a digest was judged on what was there at that moment',
  'catalog-put': 'an operator made or replaced an entry of the catalog',
  'catalog-delete': 'an operator removed an entry',
  'catalog-reload': 'the catalog file was read, with each difference',
  'token-create': 'a token was made, or the admin token anew',
  'token-revoke': 'a token was revoked',
  'auth-failed': 'a wrong token was presented; many are one line',
  freeze: 'the unit or a group was frozen',
  unfreeze: 'a freeze was lifted',
  'observed-drift': 'a tool is no longer defined as it was approved, or a catalog file not as it was written',
  'seal-proof': 'the seal was proved, with what lacks',
  launch: 'a sandbox was started',
  exit: 'a sandbox ended',
  kill: 'a sandbox was ended by a limit',
  park: 'a session is not started again by itself',
  resume: 'a parked session may start again',
  terminate: 'a session was closed',
  purge: 'the messages of a closed session and their key were deleted',
  'files-put': 'somebody gave a group a file: place, path, bytes, digest',
  'files-remove': 'somebody removed a file of a group',
  seed: 'what `--dev` and `--demo` begin with was made',
  start: 'the gateway began',
  stop: 'the gateway ended in order',
  recovered:
    'a torn last line was cut and kept aside, the journal could be written again, or a wiring was removed whose address is another spelling of one that was approved before',
  checkpoint: 'the head, signed',
  epoch: 'the master key was rotated',
  backup: 'a backup was taken',
  restored: 'the state came from a backup; the line lists tokens and grants',
}

export const stagesPage = (): string =>
  page(
    'Audit stages',
    'Each decision is a line of `audit.jsonl` before it takes effect. `svcctl audit --stage STAGE` picks lines of one stage, `svcctl audit verify` checks all of them: [the journal](../explanation/deciding.md#the-journal).',
    table(
      ['stage', 'meaning'],
      auditStages.map((stage) => [code(stage), meanings[stage]]),
    ),
    '## Fields of a line',
    fieldsOf(schemaOf(AuditEntry)),
    '`hash` is the SHA-256 of the bytes of the line before; `prev` is the one before that. Values of secrets are never in `detail`.',
  )
