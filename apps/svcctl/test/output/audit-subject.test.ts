// Every line of the audit log names what it is about.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditSubject } from '../../src/output/audit-subject.ts'

const cases: readonly (readonly [stage: string, detail: Record<string, unknown>, subject: string])[] = [
  ['catalog-put', { created: true, name: 'sample', digest: 'd', entry: {} }, 'sample'],
  ['catalog-delete', { name: 'sample' }, 'sample'],
  ['catalog-reload', { entries: [{ name: 'sample' }, { name: 'search' }] }, 'sample, search'],
  ['observed-drift', { server: 'sample', tools: {} }, 'sample'],
  ['token-create', { token: { name: 'alice' }, digest: 'd' }, 'alice'],
  ['token-revoke', { name: 'alice' }, 'alice'],
  ['auth-failed', { missing: 0, unknown: 0, expired: 2, tokens: ['alice', 'bob'] }, 'alice, bob'],
  ['auth-failed', { missing: 3, unknown: 1, expired: 0, tokens: [] }, 'missing 3, unknown 1'],
  ['submit', { change: { after: { server: 'sample', tools: [] } } }, 'sample'],
  ['submit', { change: { after: { channel: 'slack', address: 'C1' } } }, 'C1'],
  ['apply', { effect: { type: 'grant', grant: { server: 'sample' } } }, 'sample'],
  ['launch', { session: 'ses_a', sandbox: 'x', driver: 'oci' }, 'ses_a'],
  ['terminate', { session: 'ses_a', reason: 'r' }, 'ses_a'],
  ['files-put', { path: '/workspace/a.txt' }, '/workspace/a.txt'],
  ['seal-proof', { driver: 'oci' }, 'oci'],
  ['freeze', { freeze: { reason: 'r' } }, 'the whole unit'],
  ['unfreeze', { reason: 'r' }, 'the whole unit'],
  ['recovered', { kept: 'audit.torn-1' }, 'audit.torn-1'],
  ['approve', { digest: 'd' }, ''],
]

for (const [stage, detail, subject] of cases)
  test(`the subject of ${stage} with ${JSON.stringify(detail)} is ${subject === '' ? 'in the other columns' : subject}`, () => {
    assert.equal(auditSubject({ stage, detail }), subject)
  })
